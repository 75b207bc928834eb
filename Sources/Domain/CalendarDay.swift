/// A day of the proleptic Gregorian calendar in the years 0 to 9999.
///
/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
package struct CalendarDay: Equatable, Sendable {
    package static let seconds = 86_400

    package let year: Int
    package let month: Int
    package let day: Int

    /// Returns nil if there is no such day.
    package init?(year: Int, month: Int, day: Int) {
        guard (0...9999).contains(year), (1...12).contains(month),
            (1...Self.length(ofMonth: month, year)).contains(day)
        else { return nil }
        (self.year, self.month, self.day) = (year, month, day)
    }

    /// - Parameter days: the number of days since 1970-01-01. Returns nil outside of the years 0 to 9999.
    package init?(daysSince1970 days: Int) {
        // The algorithm (`civil_from_days`) counts from 0000-03-01. 400 years are added because January and February of
        // year 0 come before that day.
        guard (-719_528...2_932_896).contains(days) else { return nil }
        let shifted = days + 719_468 + Self.daysOf400Years
        let (era, dayOfEra) = shifted.quotientAndRemainder(dividingBy: Self.daysOf400Years)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = yearOfEra + (era - 1) * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    package var daysSince1970: Int {
        // The algorithm is `days_from_civil`. January and February count as the end of the previous year. 400 years are
        // added because the previous year of year 0 is negative.
        let shiftedYear = (month <= 2 ? year - 1 : year) + 400
        let (era, yearOfEra) = shiftedYear.quotientAndRemainder(dividingBy: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return (era - 1) * Self.daysOf400Years + dayOfEra - 719_468
    }

    /// Parses a day such as `2026-11-12`.
    package init?(parsing text: String) {
        var reader = DigitReader(text)
        guard let day = reader.day(), reader.isAtEnd else { return nil }
        self = day
    }

    /// The day at a meridian by the Sun, whose noon is that of the clocks within hours everywhere.
    package init?(of time: Timestamp, at lon: Double) {
        let seconds = Double(time.milliseconds) / 1000 + Self.secondsEast(lon)
        self.init(daysSince1970: Int((seconds / Double(Self.seconds)).rounded(.down)))
    }

    /// Noon at a meridian by the Sun: a moment of this day in the time zone there.
    package func noon(at lon: Double) -> Timestamp {
        let seconds = Double(daysSince1970 * Self.seconds + Self.seconds / 2) - Self.secondsEast(lon)
        return Timestamp(milliseconds: Int64(seconds * 1000))
    }

    /// The Sun takes 240 s for a degree. The view `listing_match` has the same formula.
    private static func secondsEast(_ lon: Double) -> Double { 240 * lon.rounded() }

    /// For example `2026-11-12`.
    package var text: String { String(noon(at: 0).text.prefix(10)) }

    private static let daysOf400Years = 146_097

    private static func length(ofMonth month: Int, _ year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
