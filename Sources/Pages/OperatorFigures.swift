package import Domain
import Localization

/// The work of the service since it was started, shown to its operator.
package struct OperatorFigures: Sendable {
    package typealias Messages = (sent: Int, failed: Int)

    /// Nil if the service sends no mails.
    package var mails: Messages?
    package var pushMessages: Messages = (0, 0)
    package var webhooks: Messages = (0, 0)
    package var waiting = 0
    /// Upper bounds of the times from posts until alerts were ready to be sent, in seconds; nil if there were none.
    package var medianDelay: Double?
    package var longDelay: Double?
    package var openReports = 0
    package var imports: [(state: ListingImport.State, count: Int)] = []

    package init() {}

    func rows(_ localizer: Localizer) -> [RowView] {
        func count(_ messages: Messages) -> String {
            let numbers: KeyValuePairs = [
                "sent": localizer.number(messages.sent), "failed": localizer.number(messages.failed),
            ]
            return localizer("work.messages", numbers)
        }
        var rows = mails.map { [("mails", count($0))] } ?? []
        rows += [("push", count(pushMessages)), ("webhooks", count(webhooks)), ("waiting", localizer.number(waiting))]
        if let medianDelay, let longDelay {
            let (usual, long) = (Self.time(medianDelay, localizer), Self.time(longDelay, localizer))
            rows.append(("delay", localizer("work.delays", ["usual": usual, "long": long])))
        }
        rows.append(("reports", localizer.number(openReports)))
        let states = imports.map { "\(localizer("imports.state.\($0.state.rawValue)")) \(localizer.number($0.count))" }
        rows.append(("imports", states.isEmpty ? localizer.number(0) : states.joined(separator: ", ")))
        return rows.map { RowView(label: localizer("work.\($0)"), value: $1) }
    }

    private static func time(_ seconds: Double, _ localizer: Localizer) -> String {
        seconds.isFinite ? "≤ \(localizer.number(seconds)) s" : "> 1 h"
    }
}
