import Channels
import Domain
import Mail
import Pages
import Storage

/// What the service has done since it was started, for its operator.
struct ServiceWork: Sendable {
    let database: any Database
    let mailer: Mailer?
    let channels: ChannelSender
    let notifications: NotificationService
    let imports: ListingImportStore

    func figures() throws -> OperatorFigures {
        let (mails, events, delays) = (try mailer?.figures, channels.figures, notifications.delayHistogram)
        return OperatorFigures(
            mails: mails.map { .init(sent: $0.sent, failed: $0.failed + $0.refused) },
            pushMessages: .init(sent: events.pushSent, failed: events.pushFailed),
            webhooks: .init(sent: events.webhookSent, failed: events.webhookFailed),
            waiting: try channels.waiting + (mails?.waiting ?? 0),
            medianDelay: delays.quantile(0.5),
            longDelay: delays.quantile(0.99),
            openReports: try database.statistics().openReports,
            imports: try imports.countByState()
        )
    }
}
