/// How an account wants to be told what its alerts find.
package struct NotificationSettings: Equatable, Sendable {
    package enum Frequency: String, CaseIterable, Sendable {
        case atOnce = "at_once"
        /// One summary a day.
        case daily
    }

    /// The local hours that a reader can choose for the summary: those outside of the night.
    package static let summaryHours = 7...21

    package var email = true
    package var frequency = Frequency.atOnce
    package var summaryHour = 8
    /// Whether matches of at least `NotificationSchedule.veryLikely` are told at once in any case, also at night.
    package var likelyAtOnce = true

    package init() {}
}
