package import Foundation

extension Timestamp {
    /// Parses a time as people write it in any of the languages, by the clock of the time zone: `26/11/2026 10:30`,
    /// `26.11.26`, `2026-11-26T10:30`, `26 novembre ore 9`, `ieri sera`, `yesterday at 3:15`.
    ///
    /// The day comes before the month, unless there is no such month. A date without a year, and a time without a day, is
    /// the last one that is past. A day without a time is its noon, or now if that is still to come.
    package init?(written text: String, zone: TimeZone, now: Timestamp = .now) {
        guard let found = WrittenTime(text), let today = Timestamp.day(of: now, zone), let day = found.day(today)
        else { return nil }
        var time = Timestamp(day, secondsOfDay: found.seconds ?? 43_200, zone)
        if time > now, found.seconds == nil, day == today { time = now }
        if time > now, found.isOnlyTime, let yesterday = CalendarDay(daysSince1970: day.daysSince1970 - 1),
            let seconds = found.seconds
        {
            time = Timestamp(yesterday, secondsOfDay: seconds, zone)
        }
        self = time
    }

    /// The moment at which the clocks of a time zone show a time of a day.
    init(_ day: CalendarDay, secondsOfDay: Int, _ zone: TimeZone) {
        let local = Int64(day.daysSince1970) * Int64(CalendarDay.seconds) + Int64(secondsOfDay)
        func offset(_ time: Int64) -> Int64 {
            Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(time))))
        }
        // The offset at the moment itself can differ from that of the same clock time in UTC.
        self.init(milliseconds: (local - offset(local - offset(local))) * 1000)
    }

    fileprivate static func day(of time: Timestamp, _ zone: TimeZone) -> CalendarDay? {
        let seconds = Double(time.milliseconds) / 1000
        let local = seconds + Double(zone.secondsFromGMT(for: Date(timeIntervalSince1970: seconds)))
        return CalendarDay(daysSince1970: Int((local / Double(CalendarDay.seconds)).rounded(.down)))
    }
}

extension CalendarDay {
    /// Parses a day without a time, written like a `Timestamp(written:zone:)`.
    package init?(written text: String, zone: TimeZone, now: Timestamp = .now) {
        guard let found = WrittenTime(text), found.seconds == nil, let today = Timestamp.day(of: now, zone),
            let day = found.day(today)
        else { return nil }
        self = day
    }
}

/// The parts of a time that a text names. Nil if it names none, or says anything else.
private struct WrittenTime {
    /// The year is nil if it is not said.
    private var date: (year: Int?, month: Int, day: Int)?
    private var daysAgo: Int?
    private(set) var seconds: Int?

    var isOnlyTime: Bool { date == nil && daysAgo == nil }

    private enum Word {
        /// Days from today.
        case day(Int)
        /// The hour that stands for a part of a day.
        case part(Int)
        case month(Int)
        case hour
        case none

        var isPart: Bool { if case .part = self { true } else { false } }
    }

    /// The words behind an hour: "15 Uhr", "15h", "3 pm".
    private static let units = Set(
        Language.tables("dates").flatMap(\.table.rows).filter { $0[0] == "unit" }.flatMap {
            $0[2].split(separator: "|")
        })

    private static let words: [String: Word] = {
        var words: [String: Word] = [:]
        for row in Language.tables("dates").reversed().flatMap(\.table.rows) where row[0] != "unit" {
            let number = Int(row[1]) ?? 0
            let word: Word =
                switch row[0] {
                case "day": .day(number)
                case "part": .part(number)
                case "month": .month(number)
                case "hour": .hour
                default: .none
                }
            for phrase in row[2].split(separator: "|") { words[String(phrase)] = word }
        }
        return words
    }()
    // Static, because a literal in a function is parsed at each call.
    nonisolated(unsafe) private static let timeMark = /([0-9])t([0-9])/
    nonisolated(unsafe) private static let hourWithUnit = /([0-9]{1,2})([a-z]+)/
    nonisolated(unsafe) private static let ordinal = /([0-9]{1,4})(st|nd|rd|th|°|º|\.)?/
    nonisolated(unsafe) private static let yearFirst = /([0-9]{4})[-\/.]([0-9]{1,2})[-\/.]([0-9]{1,2})/
    nonisolated(unsafe) private static let dayFirst = /([0-9]{1,2})[-\/.]([0-9]{1,2})([-\/.]([0-9]{2}|[0-9]{4})|\.)?/
    nonisolated(unsafe) private static let clock = /([0-9]{1,2})[:.h]([0-9]{2})(:([0-9]{2}))?/
    private static let maxPhraseWords = 5
    private static let maxTokens = 12

    init?(_ text: String) {
        // Between a date and a time, "T" stands for a space.
        let spaced = text.lowercased().replacing(Self.timeMark) { "\($0.1) \($0.2)" }
        let tokens = spaced.split { $0.isWhitespace || ",;'’()".contains($0) }.map(String.init).flatMap(
            Self.withoutUnit)
        guard tokens.count <= Self.maxTokens else { return nil }
        var (part, month) = (Int?.none, Int?.none)
        var numbers: [Int] = []
        var expectsHour = false
        var rest = tokens[...]
        while let token = rest.first {
            let phrase = Self.phrase(rest)
            rest = rest.dropFirst(phrase?.length ?? 1)
            switch phrase?.word {
            case .day(let days): daysAgo = -days
            case .part(let hour): part = hour
            case .month(let number): month = number
            case .hour: expectsHour = true
            case .none?: break
            case nil:
                if !takeHour(token, &rest, isExpected: expectsHour) {
                    if let number = Self.number(token) {
                        numbers.append(number)
                    } else if !takeDate(token), !takeTime(token) {
                        return nil
                    }
                }
                expectsHour = false
            }
        }
        if let month {
            guard date == nil, let day = numbers.first, numbers.count <= 2 else { return nil }
            date = (numbers.count == 2 ? numbers[1] : nil, month, day)
        } else if !numbers.isEmpty {
            return nil
        }
        // "12 am" is midnight. In German, "am" announces a day, and is not the last word.
        if tokens.last == "am", let noon = seconds, noon / 3600 == 12 { seconds = noon - 43_200 }
        if let part {
            // "Alle 9 di sera" is 21:00.
            let isLate = part >= 15 && seconds.map { $0 < 43_200 } == true
            seconds = (seconds ?? part * 3600) + (isLate ? 43_200 : 0)
        }
        guard date == nil || daysAgo == nil, date != nil || daysAgo != nil || seconds != nil else { return nil }
    }

    /// Splits "15h" into its number and its unit.
    private static func withoutUnit(_ token: String) -> [String] {
        guard let found = token.wholeMatch(of: hourWithUnit), units.contains(found.2) else { return [token] }
        return [String(found.1), String(found.2)]
    }

    /// Returns what the longest phrase at the beginning means.
    private static func phrase(_ tokens: ArraySlice<String>) -> (word: Word, length: Int)? {
        for length in stride(from: min(tokens.count, maxPhraseWords), to: 0, by: -1) {
            let phrase = tokens.prefix(length).map(\.folded).joined(separator: " ")
            if let word = words[phrase] { return (word, length) }
        }
        return nil
    }

    /// Reads the number of a day, such as `26`, `26th` and `1°`, or of a year.
    private static func number(_ token: String) -> Int? {
        token.wholeMatch(of: ordinal).flatMap { Int($0.1) }
    }

    private mutating func takeDate(_ token: String) -> Bool {
        guard date == nil, daysAgo == nil else { return false }
        if let found = token.wholeMatch(of: Self.yearFirst) {
            date = (Int(found.1), Int(found.2) ?? 0, Int(found.3) ?? 0)
            return true
        }
        guard let found = token.wholeMatch(of: Self.dayFirst) else { return false }
        var (day, month) = (Int(found.1) ?? 0, Int(found.2) ?? 0)
        if month > 12, day <= 12 { swap(&day, &month) }
        // "10.30" is a time.
        guard (1...12).contains(month), (1...31).contains(day) else { return false }
        date = (found.4.flatMap { Int($0) }, month, day)
        return true
    }

    /// Reads the hour behind a word that announces it, or before its unit: "alle 15", "15 Uhr", "18 h 30".
    private mutating func takeHour(_ token: String, _ rest: inout ArraySlice<String>, isExpected: Bool) -> Bool {
        let unit = rest.first.flatMap { Self.units.contains($0[...]) ? $0 : nil }
        guard isExpected || unit != nil, seconds == nil, let hour = Int(token), hour < 24 else { return false }
        seconds = hour * 3600
        // "pm" also tells the part of the day.
        if let unit, Self.words[unit]?.isPart != true {
            rest = rest.dropFirst()
            if let next = rest.first, next.utf8.count == 2, let minutes = Int(next), minutes < 60 {
                seconds = hour * 3600 + minutes * 60
                rest = rest.dropFirst()
            }
        }
        return true
    }

    private mutating func takeTime(_ token: String) -> Bool {
        guard seconds == nil, let found = token.wholeMatch(of: Self.clock),
            let hours = Int(found.1), hours < 24, let minutes = Int(found.2), minutes < 60
        else { return false }
        seconds = hours * 3600 + minutes * 60 + min(59, found.4.flatMap { Int($0) } ?? 0)
        return true
    }

    /// The day that is meant; nil if there is no such day.
    func day(_ today: CalendarDay) -> CalendarDay? {
        guard let date else { return CalendarDay(daysSince1970: today.daysSince1970 - (daysAgo ?? 0)) }
        if let year = date.year {
            return CalendarDay(year: year < 100 ? 2000 + year : year, month: date.month, day: date.day)
        }
        let days = [today.year, today.year - 1].compactMap { CalendarDay(year: $0, month: date.month, day: date.day) }
        return days.first { $0.daysSince1970 <= today.daysSince1970 }
    }
}
