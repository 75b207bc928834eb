package import Foundation

extension Timestamp {
    package static let dayFirstExpectation: ErrorMessage =
        "expected day, month and year, like 20/11/2026 or 20/11/2026 15:30"

    /// Returns whether a text looks like a date whose year comes last, such as `20/11/2026` or `20.11.26`.
    package static func isYearLast(_ text: String) -> Bool {
        let parts = text.prefix { $0 != " " && $0 != "T" }.split(whereSeparator: "/.-".contains)
        return parts.count == 3 && parts[0].count <= 2 && parts.allSatisfy { $0.allSatisfy(\.isWholeNumber) }
    }

    /// Parses a date as most of Europe writes it, with the day first: `20/11/2026`, `20-11-2026` or `20.11.2026`. A time
    /// such as `15:30` or `15:30:00` follows, by the clock of the time zone.
    package init?(dayFirst text: String, zone: TimeZone) {
        var reader = DigitReader(text)
        guard let date = reader.dayFirst(), reader.take(" ") || reader.take("T"), let hours = reader.number(),
            hours < 24, reader.take(":"),
            let minutes = reader.number(2, upTo: 59)
        else { return nil }
        var seconds = 0
        if reader.take(":") {
            guard let number = reader.number(2, upTo: 59) else { return nil }
            seconds = number
        }
        guard reader.isAtEnd else { return nil }
        self.init(date, secondsOfDay: hours * 3600 + minutes * 60 + seconds, zone)
    }
}

extension CalendarDay {
    /// Parses a date with the day first and no time: `20/11/2026`.
    package init?(dayFirst text: String) {
        var reader = DigitReader(text)
        guard let day = reader.dayFirst(), reader.isAtEnd else { return nil }
        self = day
    }
}

extension DigitReader {
    fileprivate mutating func dayFirst() -> CalendarDay? {
        guard let day = number(), let separator = "/.-".unicodeScalars.first(where: { take($0) }),
            let month = number(), take(separator), let year = number(4, upTo: 9999)
        else { return nil }
        return CalendarDay(year: year, month: month, day: day)
    }

    /// Reads a number of one or two digits.
    fileprivate mutating func number() -> Int? {
        let digits = digits()
        return digits.count <= 2 ? Int(String(digits) ?? "") : nil
    }
}
