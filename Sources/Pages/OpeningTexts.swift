import Domain
import Foundation
import Localization
import OpeningHours

extension Localizer {
    /// For example "Open until 19:00" or "Closed, opens on Monday at 09:00", by the clocks of the place. `map.js` writes the same.
    func opening(_ state: OpeningState, now: Timestamp = .now) -> String {
        switch state.kind {
        case .unknown: self("script.opening.unknown")
        case .open where state.isAlwaysOpen: self("script.opening.always")
        case .open: self("script.opening.open\(until(state, now).key)", until(state, now).blanks)
        case .closed where state.next != .open: self("script.opening.closed")
        case .closed: self("script.opening.closed\(until(state, now).key)", until(state, now).blanks)
        }
    }

    /// The end of a text's key, and the words for its blanks: the time, with the weekday unless it comes within 12 hours; neither if
    /// it comes later than in six days.
    private func until(_ state: OpeningState, _ now: Timestamp) -> (key: String, blanks: KeyValuePairs<String, String>)
    {
        guard let until = state.until else { return ("", [:]) }
        let hours = Double(until.milliseconds - now.milliseconds) / 3_600_000
        let clock = clock(until, in: state.zone)
        return switch hours {
        case ..<12: ("Until", ["clock": clock])
        case ..<(6 * 24): ("UntilDay", ["clock": clock, "day": weekday(until, in: state.zone)])
        default: ("", [:])
        }
    }
}
