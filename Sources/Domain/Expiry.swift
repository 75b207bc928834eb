/// Retention times in days.
package enum Expiry {
    /// The time after which a listing expires if its owner does not renew it.
    package static let listing = 90
    /// The time before expiry at which the owner is warned.
    package static let warning = 14
    /// The minimum time between warning and expiry, for the case that the service was not running at the usual time of
    /// the warning.
    package static let minWarningTime = 7
    /// The time for which clients of the event stream can resume from an event.
    package static let events = 30
    /// The time from the decision on a report to its deletion.
    package static let report = 90
}

extension Timestamp {
    package func adding(days: Int) -> Timestamp { adding(seconds: Double(days) * 86_400) }
}
