package import Domain
import Foundation

/// A date of numbers whose order the file tells: "11.10.26", "10/11/2026 6:30 PM", or the number of a day in a spreadsheet.
struct NumericDate: Equatable {
    private let year, month, day: Int
    /// "18:30"; nil if there is no time.
    private let time: String?

    /// Which of the first two numbers of a date is the day.
    enum Evidence {
        case dayFirst
        case monthFirst
        /// Both can be.
        case none
    }

    /// It exists: `init` checks that.
    var calendarDay: CalendarDay? { CalendarDay(year: year, month: month, day: day) }

    /// The form that `ListingTerms.time` reads: "11/10/2026 18:30".
    var text: String {
        let date = String(format: "%02d/%02d/%04d", day, month, year)
        return time.map { "\(date) \($0)" } ?? date
    }

    private init(_ year: Int, _ month: Int, _ day: Int, _ time: String?) {
        (self.year, self.month, self.day, self.time) = (year, month, day, time)
    }

    /// - Parameter isMonthFirst: whether a date begins with the month.
    init?(_ text: String, isMonthFirst: Bool) {
        let text = String(text.trimmed)
        if let match = text.wholeMatch(of: Self.form), let first = Int(match.1), let second = Int(match.2),
            let number = Int(match.3)
        {
            // Two digits are a year of this century: no animal that is looked for was lost earlier.
            let year = match.3.count == 2 ? 2000 + number : number
            let (month, day) = isMonthFirst ? (first, second) : (second, first)
            // The report shows a day that does not exist as it was written.
            guard CalendarDay(year: year, month: month, day: day) != nil else { return nil }
            self.init(year, month, day, Self.time(match.4, match.5, match.6))
        } else if let number = Double(text), Self.spreadsheetDays.contains(number) {
            self.init(spreadsheetDay: number)
        } else {
            return nil
        }
    }

    /// - Parameter number: days since 30 December 1899, as spreadsheets count them; the fraction is the time.
    private init?(spreadsheetDay number: Double) {
        let minutes = Int((number * 1440).rounded())
        guard let date = CalendarDay(daysSince1970: minutes / 1440 - 25_569) else { return nil }
        let rest = minutes % 1440
        let time = rest == 0 ? nil : String(format: "%02d:%02d", rest / 60, rest % 60)
        self.init(date.year, date.month, date.day, time)
    }

    /// Returns which number of a date is the day; nil if the text is no date of numbers.
    static func evidence(_ text: String) -> Evidence? {
        guard let match = String(text.trimmed).wholeMatch(of: form), let first = Int(match.1), let second = Int(match.2)
        else { return nil }
        if first > 12 { return .dayFirst }
        return second > 12 ? .monthFirst : Evidence.none
    }

    /// 1982 to 2064: smaller numbers are rather years or ages.
    private static let spreadsheetDays = 30_000.0..<60_000.0

    nonisolated(unsafe) private static let form =
        /(\d{1,2})[.\/\-](\d{1,2})[.\/\-](\d{4}|\d{2})(?:[ T](\d{1,2}):(\d\d)(?::\d\d)?(?: ?([AaPp])[Mm])?)?/

    private static func time(_ hour: Substring?, _ minute: Substring?, _ half: Substring?) -> String? {
        guard let hour, let minute, var number = Int(hour) else { return nil }
        // 12:30 AM is half past midnight.
        if let half { number = number % 12 + (half.lowercased() == "p" ? 12 : 0) }
        return String(format: "%02d:", number) + minute
    }
}

/// The order of day and month that the dates of a file show.
package struct DateEvidence: Sendable {
    private var (hasDates, hasDayFirst, hasMonthFirst) = (false, false, false)

    package init() {}

    /// Looks at the dates of a row.
    package mutating func add(_ record: ListingRecords.Record) {
        for text in [record.text(ListingField.lastSeenAt.name)].compactMap(\.self) + record.noteDays { add(text) }
    }

    private mutating func add(_ text: String) {
        guard let evidence = NumericDate.evidence(text) else { return }
        hasDates = true
        hasDayFirst = hasDayFirst || evidence == .dayFirst
        hasMonthFirst = hasMonthFirst || evidence == .monthFirst
    }

    /// Nil if the file has no dates of numbers. If some say one and some the other, the day comes first.
    package var order: ImportPlan.DateOrder? {
        guard hasDates else { return nil }
        if hasDayFirst { return .dayFirst }
        return hasMonthFirst ? .monthFirst : .unclear
    }
}
