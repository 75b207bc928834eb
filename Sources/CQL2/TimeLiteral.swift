import Domain

/// An instant or a day as texts that compare byte by byte with those of the database (`Timestamp`).
struct TimeLiteral: Equatable, Sendable {
    /// The first instant.
    let start: String
    /// The last instant. For a day, it sorts after all other instants of the day at any precision.
    let end: String

    static let expectation: ErrorMessage = "a time like '2026-05-01T12:30:00Z' or a date like '2026-05-01'"

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

    private init(day: CalendarDay) {
        let date = Self.text(day)
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
                    decimals = String(reader.digits()) ?? ""
                    if decimals.isEmpty { return nil }
                }
            }
        }
        guard let offset = reader.offset(), reader.isAtEnd,
            let moment = Self.text(
                seconds: day.daysSince1970 * CalendarDay.seconds + seconds - offset,
                decimals: decimals
            )
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
        let rest = (seconds % CalendarDay.seconds + CalendarDay.seconds) % CalendarDay.seconds
        guard let day = CalendarDay(daysSince1970: (seconds - rest) / CalendarDay.seconds) else { return nil }
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { padded($0, 2) }.joined(separator: ":")
        let milliseconds = decimals.prefix(3) + String(repeating: "0", count: max(0, 3 - decimals.count))
        // Digits finer than the database's milliseconds are appended after the `Z`, so that the text sorts after that
        // millisecond and before the next one.
        var finer = decimals.dropFirst(3)
        while finer.last == "0" { finer.removeLast() }
        return "\(text(day))T\(clock).\(milliseconds)Z\(finer)"
    }

    private static func text(_ day: CalendarDay) -> String {
        "\(padded(day.year, 4))-\(padded(day.month, 2))-\(padded(day.day, 2))"
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
