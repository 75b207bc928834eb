/// How long what is kept stays without a word of its owner, in days.
package enum Expiry {
    /// A listing stands on the board.
    package static let listing = 90
    /// Before that its owner is told so.
    package static let warning = 14
    /// At least so long before, should the service have slept through the day.
    package static let minWarningTime = 7
    /// Events: who follows the board may resume so far back.
    package static let events = 30
    /// Reports, from the decision on.
    package static let report = 90
}

extension Timestamp {
    package func adding(days: Int) -> Timestamp { adding(seconds: Double(days) * 86_400) }
}
