import Domain

/// An instant or a day as texts that compare byte by byte with those of the database (`Timestamp`).
struct TimeLiteral: Equatable, Sendable {
    /// The first instant.
    let start: String
    /// The last instant. For a day, it sorts after all other instants of the day at any precision.
    let end: String

    static let expectation = "a time like '2026-05-01T12:30:00Z' or a date like '2026-05-01'"

    private init(start: String, end: String) {
        self.start = start
        self.end = end
    }

    /// Parses a day in UTC, as an interval that contains all of its instants.
    init?(date text: String) {
        var reader = DigitReader(text)
        guard let day = reader.day(), reader.isAtEnd else { return nil }
        self.init(day: day)
    }

    private init?(day: Int) {
        guard let date = Self.text(ofDay: day) else { return nil }
        start = "\(date)T00:00:00.000Z"
        // A tilde sorts after all digits.
        end = "\(date)T23:59:59.999Z~"
    }

    /// Parses RFC 3339 with any offset and any number of decimals. Minutes and seconds may be missing, as GDAL omits
    /// them.
    init?(timestamp text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var reader = DigitReader(text)
        guard let day = reader.day(), reader.take("T") || reader.take("t"), let hour = reader.number(2, upTo: 23)
        else { return nil }
        var seconds = hour * 3600
        var decimals = ""
        if reader.take(":") {
            guard let minute = reader.number(2, upTo: 59) else { return nil }
            seconds += minute * 60
            if reader.take(":") {
                guard let second = reader.number(2, upTo: 59) else { return nil }
                seconds += second
                if reader.take(".") {
                    decimals = reader.digits()
                    if decimals.isEmpty { return nil }
                }
            }
        }
        guard let offset = reader.offset(), reader.isAtEnd,
            let moment = Self.text(seconds: day * 86_400 + seconds - offset, decimals: decimals)
        else { return nil }
        self.init(start: moment, end: moment)
    }

    /// Parses a date or a time, as they are written in a text or an interval. GDAL writes a date with a `T` after it.
    init?(_ text: String) {
        let date = text.hasSuffix("T") ? String(text.dropLast()) : text
        guard let literal = TimeLiteral(date: date) ?? TimeLiteral(timestamp: text) else { return nil }
        self = literal
    }

    private static func text(seconds: Int, decimals: String) -> String? {
        let day = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400
        let rest = seconds - day * 86_400
        guard let date = text(ofDay: day) else { return nil }
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        let milliseconds = decimals.prefix(3) + String(repeating: "0", count: max(0, 3 - decimals.count))
        // Digits finer than the database's milliseconds are appended after the `Z`, so that the text sorts after that
        // millisecond and before the next one.
        var finer = decimals.dropFirst(3)
        while finer.last == "0" { finer.removeLast() }
        return "\(date)T\(clock).\(milliseconds)Z\(finer)"
    }

    /// Converts days since 1970 to a date of the proleptic Gregorian calendar, with four-digit years.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
    private static func text(ofDay day: Int) -> String? {
        let shifted = day + 719_468
        guard shifted >= 0 else { return nil }
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        guard year <= 9999 else { return nil }
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1, 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reads numbers with a fixed number of digits.
private struct DigitReader {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    mutating func digits() -> String {
        let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        rest = rest.dropFirst(found.count)
        return String(decoding: found, as: UTF8.self)
    }

    mutating func number(_ width: Int, upTo limit: Int) -> Int? {
        let found = rest.prefix(width)
        guard found.count == width, found.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        rest = rest.dropFirst(width)
        let number = found.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        return number <= limit ? number : nil
    }

    /// Reads an existing date as days since 1970.
    ///
    /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
    mutating func day() -> Int? {
        guard let year = number(4, upTo: 9999), take("-"), let month = number(2, upTo: 12), month > 0, take("-"),
            let day = number(2, upTo: Self.length(ofMonth: month, year)), day > 0
        else { return nil }
        // January and February count as the end of the previous year. 400 years are added because the previous year of
        // year 0 is negative.
        let shiftedYear = (month <= 2 ? year - 1 : year) + 400
        let (era, yearOfEra) = (shiftedYear / 400, shiftedYear % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era - 1) * 146_097 + dayOfEra - 719_468
    }

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Reads the offset in seconds east of UTC.
    mutating func offset() -> Int? {
        if take("Z") || take("z") { return 0 }
        let isEast = take("+")
        guard isEast || take("-"), let hours = number(2, upTo: 23), take(":"), let minutes = number(2, upTo: 59)
        else { return nil }
        return (isEast ? 60 : -60) * (hours * 60 + minutes)
    }
}
