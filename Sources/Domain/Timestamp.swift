package import Foundation
import Synchronization

/// A time in UTC with milliseconds, stored as RFC 3339 text. It sorts as text and is used in responses unchanged.
package struct Timestamp: Comparable, Hashable, Sendable, CustomStringConvertible {
    /// For example `2026-05-01T12:30:00.000Z`.
    package let text: String

    package static let expectation = "expected a time like 2026-05-01T12:30:00Z or a date like 2026-05-01"

    /// The maximum, because years with five digits would sort before all others.
    private static let last = Timestamp(stored: "9999-12-31T23:59:59.999Z")
    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    package init(_ date: Date) {
        // The formatter truncates, so that binary rounding errors would otherwise lose a millisecond.
        let milliseconds = (date.timeIntervalSinceReferenceDate * 1000).rounded()
        text = Date(timeIntervalSinceReferenceDate: milliseconds / 1000 + 0.000_1).formatted(Self.style)
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
        let bytes = Array(input.utf8)
        guard bytes.count >= 10, bytes.count <= 40, bytes[4] == UInt8(ascii: "-") else { return nil }
        let (local, offset) = Self.split(bytes.count == 10 ? input + "T00:00:00Z" : input)
        for style in [Date.ISO8601FormatStyle(), Self.style] {
            guard let date = try? Date(local, strategy: style) else { continue }
            // Foundation changes 30 February to a day in March, so the parsed date must be the same as the given one.
            guard Timestamp(date).text.hasPrefix(input.prefix(10)) else { return nil }
            self.init(date.addingTimeInterval(-offset))
            // After applying the offset, the year may have five digits, which do not sort as text.
            if text.utf8.count != Self.last.text.utf8.count { return nil }
            return
        }
        return nil
    }

    /// Splits a time into its local part, written as UTC, and its offset from UTC in seconds, because Foundation does
    /// not accept offsets of more than 18 hours.
    private static func split(_ text: String) -> (local: String, offset: Double) {
        guard let match = text.suffix(6).wholeMatch(of: #/([+-])([01]\d|2[0-3]):([0-5]\d)/#),
            let hours = Double(match.2), let minutes = Double(match.3)
        else { return (text, 0) }
        return (text.dropLast(6) + "Z", (match.1 == "-" ? -1 : 1) * (hours * 3600 + minutes * 60))
    }

    /// Milliseconds since 1970 in UTC.
    package var milliseconds: Int64 {
        guard let date = try? Date(text, strategy: Self.style) else { return 0 }
        return Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Returns the sum, at most the last moment of the year 9999.
    package func adding(seconds: Double) -> Timestamp {
        guard let date = try? Date(text, strategy: Self.style) else { return self }
        let sum = Timestamp(date.addingTimeInterval(seconds))
        return sum.text.utf8.count > Self.last.text.utf8.count ? Self.last : sum
    }

    package static func < (a: Timestamp, b: Timestamp) -> Bool { a.text < b.text }

    package var description: String { text }
}
