package import Foundation
import Synchronization

/// A time in UTC with milliseconds, stored as RFC 3339 text. It sorts as text and is used in responses unchanged.
///
/// It is read and written byte by byte: Foundation takes about 100 times as long to parse one, and an import parses two
/// for each row.
package struct Timestamp: Comparable, Hashable, Sendable, CustomStringConvertible {
    /// For example `2026-05-01T12:30:00.000Z`.
    package let text: String

    package static let expectation: ErrorMessage =
        "expected a time like 2026-05-01T12:30:00Z or a date like 2026-05-01"

    private static let dayLength = Int64(CalendarDay.seconds) * 1000
    /// Years with five digits would sort before all others.
    private static let last = Timestamp(stored: "9999-12-31T23:59:59.999Z")
    private static let first = Timestamp(stored: "0000-01-01T00:00:00.000Z")

    package init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        // Dates too far for 64 bits are as far as the first or last time.
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// - Parameter milliseconds: since 1970 in UTC. Times outside of the years 0 to 9999 become the first or last time of
    ///   these years.
    package init(milliseconds: Int64) {
        self = Self.within(milliseconds) ?? (milliseconds < 0 ? Self.first : Self.last)
    }

    /// Returns nil for a time outside of the years 0 to 9999.
    private static func within(_ milliseconds: Int64) -> Timestamp? {
        let time = (milliseconds % dayLength + dayLength) % dayLength
        // Subtracting the time of day before the division could overflow.
        let days = milliseconds / dayLength - (milliseconds < 0 && time != 0 ? 1 : 0)
        guard let day = CalendarDay(daysSince1970: Int(days)) else { return nil }
        return Timestamp(stored: format(day, Int(time)))
    }

    package static var now: Timestamp { Timestamp(Date(timeIntervalSince1970: PlausibleClock.system.now)) }

    /// The current time with a precision of one second, cached because formatting a time takes longer than a look-up in
    /// the database.
    package static var recent: Timestamp {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return latest.withLock { latest in
            if latest.second != time.tv_sec { latest = (time.tv_sec, .now) }
            return latest.time
        }
    }

    private static let latest = Mutex((second: 0, time: Timestamp(stored: "")))

    /// Creates a timestamp from a text that was read from the database.
    package init(stored text: String) {
        self.text = text
    }

    /// Parses RFC 3339 with any offset, with or without fractional seconds, or a date without a time, which means its
    /// first moment in UTC.
    package init?(parsing input: String) {
        guard input.utf8.count <= 40, let milliseconds = Self.parse(input), let time = Self.within(milliseconds) else {
            return nil
        }
        self = time
    }

    /// Returns the milliseconds since 1970 in UTC.
    private static func parse(_ input: String) -> Int64? {
        var reader = DigitReader(input)
        guard let day = reader.day() else { return nil }
        let start = Int64(day.daysSince1970) * dayLength
        if reader.isAtEnd { return start }
        guard reader.take("T") || reader.take("t"), let hours = reader.number(2, upTo: 23), reader.take(":"),
            let minutes = reader.number(2, upTo: 59), reader.take(":"), let seconds = reader.number(2, upTo: 59)
        else { return nil }
        var fraction = 0
        if reader.take(".") {
            let digits = reader.digits()
            guard !digits.isEmpty else { return nil }
            fraction = milliseconds(ofFraction: digits)
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        return start + Int64((hours * 3600 + minutes * 60 + seconds - offset) * 1000 + fraction)
    }

    /// Rounds to the nearest millisecond, which can be 1000.
    private static func milliseconds(ofFraction digits: Substring.UTF8View) -> Int {
        let values = digits.prefix(4).map { Int($0 - UInt8(ascii: "0")) } + [0, 0, 0]
        return values[0] * 100 + values[1] * 10 + values[2] + (values[3] >= 5 ? 1 : 0)
    }

    /// - Parameter time: milliseconds since the beginning of the day.
    private static func format(_ day: CalendarDay, _ time: Int) -> String {
        String(unsafeUninitializedCapacity: 24) { bytes in
            var end = 0
            func put(_ number: Int, _ width: Int, _ separator: Unicode.Scalar) {
                var rest = number
                for place in (end..<end + width).reversed() {
                    bytes[place] = UInt8(ascii: "0") + UInt8(rest % 10)
                    rest /= 10
                }
                bytes[end + width] = UInt8(ascii: separator)
                end += width + 1
            }
            put(day.year, 4, "-")
            put(day.month, 2, "-")
            put(day.day, 2, "T")
            put(time / 3_600_000, 2, ":")
            put(time / 60_000 % 60, 2, ":")
            put(time / 1000 % 60, 2, ".")
            put(time % 1000, 3, "Z")
            return end
        }
    }

    /// Milliseconds since 1970 in UTC.
    package var milliseconds: Int64 { Self.parse(text) ?? 0 }

    /// Returns the sum, at most the last moment of the year 9999.
    package func adding(seconds: Double) -> Timestamp {
        guard let milliseconds = Self.parse(text) else { return self }
        return Timestamp(Date(timeIntervalSince1970: Double(milliseconds) / 1000 + seconds))
    }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.text < b.text }

    package var description: String { text }
}
