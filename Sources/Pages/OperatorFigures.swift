package import Domain
import Localization
import Mustache

/// What the service has done since it was started, for its operator.
package struct OperatorFigures: Sendable {
    package struct Messages: Sendable {
        let sent: Int
        let failed: Int

        package init(sent: Int, failed: Int) {
            (self.sent, self.failed) = (sent, failed)
        }
    }

    /// Nil if the service sends no mails.
    let mails: Messages?
    let pushMessages: Messages
    let webhooks: Messages
    let waiting: Int
    /// Upper bounds of the times from posts until alerts were ready to be sent, in seconds; nil if there were none.
    let medianDelay: Double?
    let longDelay: Double?
    let openReports: Int
    let imports: [(state: ListingImport.State, count: Int)]

    package init(
        mails: Messages?,
        pushMessages: Messages,
        webhooks: Messages,
        waiting: Int,
        medianDelay: Double?,
        longDelay: Double?,
        openReports: Int,
        imports: [(state: ListingImport.State, count: Int)]
    ) {
        (self.mails, self.pushMessages, self.webhooks, self.waiting) = (mails, pushMessages, webhooks, waiting)
        (self.medianDelay, self.longDelay) = (medianDelay, longDelay)
        (self.openReports, self.imports) = (openReports, imports)
    }

    func rows(_ localizer: Localizer) -> [[String: any TemplateValue]] {
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
        return rows.map { name, value in
            ["label": localizer("work.\(name)"), "value": value] as [String: any TemplateValue]
        }
    }

    private static func time(_ seconds: Double, _ localizer: Localizer) -> String {
        seconds.isFinite ? "≤ \(localizer.number(seconds)) s" : "> 1 h"
    }
}
