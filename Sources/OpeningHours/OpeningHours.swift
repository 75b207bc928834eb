import COpeningHours
package import Domain
package import Foundation
import Synchronization

/// Whether a place is open, and until when.
package struct OpeningState: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        case open, closed
        /// Such as by appointment.
        case unknown
    }

    package let kind: Kind
    /// When the state changes; nil if it never does.
    package let until: Timestamp?
    /// The state after that.
    package let next: Kind?
    /// The remark that the value has for this time, such as "by appointment"; nil if it has none.
    package let comment: String?
    /// The time zone of the place.
    package let zone: TimeZone

    package var isAlwaysOpen: Bool { kind == .open && until == nil }
}

/// Reads values of OpenStreetMap's `opening_hours`.
///
/// KOpeningHours reads them, with the public holidays of KHolidays and the times of sunrise and sunset.
package final class OpeningHours: Sendable {
    private struct Key: Hashable {
        let value: String
        let country: String?
        let zone: TimeZone
        /// In degrees, rounded: the Sun rises 4 minutes later a degree farther west.
        let lon, lat: Int
    }

    private struct Answer {
        let state: OpeningState?
        /// In milliseconds since 1970: the times for which the answer holds.
        let begin, end: Int64
    }

    private static let maxAnswers = 4_096
    /// The time in milliseconds after which a value that cannot be read is read again.
    private static let retry: Int64 = 3_600_000
    /// The time in milliseconds for which an answer is remembered at most: changes in more than some weeks are not known.
    private static let longest: Int64 = 86_400_000

    private let answers = Mutex<[Key: Answer]>([:])

    /// - Parameter country: The one whose holidays are loaded at once, which takes milliseconds (ISO 3166-1 alpha-2).
    package init(country: String?) {
        if let country, let point = Coordinate(lon: 0, lat: 0) {
            _ = state(of: "PH off", at: point, in: country, zone: .gmt, .now)
        }
    }

    /// Returns the state at a time; nil if the value cannot be read, or if it needs the holidays of a country that has no table.
    ///
    /// - Parameters:
    ///   - value: Such as `Mo-Fr 09:00-13:00,15:00-19:00; PH off`.
    ///   - point: The place.
    ///   - country: Of the place (ISO 3166-1 alpha-2).
    ///   - zone: Of the clocks at the place.
    package func state(
        of value: String,
        at point: Coordinate,
        in country: String?,
        zone: TimeZone,
        _ time: Timestamp
    ) -> OpeningState? {
        let key = Key(
            value: value,
            country: country,
            zone: zone,
            lon: Int(point.lon.rounded()),
            lat: Int(point.lat.rounded())
        )
        let now = time.milliseconds
        if let known = answers.withLock({ $0[key] }), (known.begin..<known.end).contains(now) { return known.state }
        let answer = Self.find(key, now)
        answers.withLock { answers in
            if answers.count >= Self.maxAnswers { answers.removeAll() }
            answers[key] = answer
        }
        return answer.state
    }

    private static func find(_ key: Key, _ now: Int64) -> Answer {
        let seconds = now / 1000
        let east = key.zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds)))
        var found = (opening_hours_interval(), opening_hours_interval())
        let count = withUnsafeMutablePointer(to: &found) { found in
            found.withMemoryRebound(to: opening_hours_interval.self, capacity: 2) { found in
                (key.country ?? "").withCString { country in
                    let place = opening_hours_place(
                        country: country,
                        lat: Float(key.lat),
                        // The Sun takes 240 s for a degree.
                        lon: Float(Double(key.lon) - Double(east) / 240)
                    )
                    return opening_hours_find(key.value, key.value.utf8.count, place, seconds + Int64(east), found)
                }
            }
        }
        guard count > 0 else { return Answer(state: nil, begin: now, end: now + retry) }
        let end = found.0.end == .max ? nil : time(onClocks: found.0.end, of: key.zone)
        let state = OpeningState(
            kind: .init(found.0.state),
            until: end.map(Timestamp.init(milliseconds:)),
            next: end != nil && count == 2 ? .init(found.1.state) : nil,
            comment: found.0.text,
            zone: key.zone
        )
        let begin = found.0.begin == .min ? Int64.min : time(onClocks: found.0.begin, of: key.zone)
        return Answer(state: state, begin: begin, end: min(end ?? .max, now + longest))
    }

    /// Returns the milliseconds since 1970 when the clocks of a zone show a time.
    private static func time(onClocks seconds: Int64, of zone: TimeZone) -> Int64 {
        let first = seconds - Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(seconds))))
        return (seconds - Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(first))))) * 1000
    }
}

extension OpeningState.Kind {
    fileprivate init(_ state: opening_hours_state) {
        switch state {
        case opening_hours_open: self = .open
        case opening_hours_closed: self = .closed
        default: self = .unknown
        }
    }
}

extension opening_hours_interval {
    fileprivate var text: String? {
        let text = withUnsafeBytes(of: comment) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        return text.isEmpty ? nil : text
    }
}
