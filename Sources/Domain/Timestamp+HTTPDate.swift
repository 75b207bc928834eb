extension Timestamp {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The time in the format of HTTP and RSS, for example `Sat, 21 Nov 2026 17:05:00 GMT`.
    package var httpDate: String {
        var reader = DigitReader(text)
        guard let day = reader.day() else { return "" }
        // 1970-01-01 was a Thursday. The remainder of an earlier day is negative.
        let weekday = Self.weekdays[(day.daysSince1970 % 7 + 7) % 7]
        let (date, time) = (text.utf8.dropFirst(8).prefix(2), text.utf8.dropFirst(11).prefix(8))
        return "\(weekday), \(Substring(date)) \(Self.months[day.month - 1]) \(text.prefix(4)) \(Substring(time)) GMT"
    }
}
