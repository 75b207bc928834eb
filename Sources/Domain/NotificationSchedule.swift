package import Foundation

/// Decides when a reader is told of a listing.
package struct NotificationSchedule: Sendable {
    package enum Time: Equatable, Sendable {
        case now
        /// In the summary that is due at this time or before.
        case summary(Timestamp)
    }

    /// Matches below this probability wait for the summary.
    package static let likely = 0.1
    /// Matches from this probability on may be told at night.
    package static let veryLikely = 0.5
    /// How often a reader is told at once on one day; the rest is in the summary.
    package static let maxPerDay = 3
    /// The same for likely matches.
    package static let maxMatchesPerDay = 10
    /// The local hours of the night.
    private static let night = (from: 22, until: 7)

    /// The local day, like 2026-05-01.
    package let day: String
    private let now: Timestamp
    private let zone: TimeZone
    /// The seconds since midnight.
    private let seconds: Int

    package init(at now: Timestamp, in zone: TimeZone) {
        (self.now, self.zone) = (now, zone)
        let local = now.adding(seconds: Double(zone.secondsFromGMT(for: now.date)))
        day = String(local.text.prefix(10))
        seconds = Int(local.milliseconds / 1000 % 86_400)
    }

    private var isNight: Bool { seconds < Self.night.until * 3600 || seconds >= Self.night.from * 3600 }

    /// - Parameters:
    ///   - probability: that of a match; nil for what a search has found.
    ///   - told: how often the reader was told at once on this day.
    ///   - isDaily: whether it waits for the summary in any case.
    package func time(
        probability: Double?,
        told: Int,
        _ settings: NotificationSettings,
        isDaily: Bool = false
    ) -> Time {
        let limit = probability == nil ? Self.maxPerDay : Self.maxMatchesPerDay
        let isVeryLikely = probability.map { $0 >= Self.veryLikely } ?? false
        if isVeryLikely, settings.likelyAtOnce, told < limit { return .now }
        let isLikely = probability.map { $0 >= Self.likely } ?? true
        guard !isDaily, isLikely, settings.frequency == .atOnce, told < limit else {
            return .summary(next(hour: settings.summaryHour))
        }
        return isNight ? .summary(next(hour: Self.night.until)) : .now
    }

    /// Returns the next time at which a clock of the zone shows the hour.
    private func next(hour: Int) -> Timestamp {
        let wait = (hour * 3600 - seconds + 86_400 - 1) % 86_400 + 1
        let time = now.adding(seconds: Double(wait))
        // Summer time may begin or end before.
        let shift = zone.secondsFromGMT(for: now.date) - zone.secondsFromGMT(for: time.date)
        return time.adding(seconds: Double(shift))
    }
}

extension Timestamp {
    fileprivate var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
