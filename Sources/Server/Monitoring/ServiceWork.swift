import Channels
import Domain
import Mail
import Pages
import SocialMedia
import Storage

/// The work of the service since it was started, shown to its operator.
struct ServiceWork: Sendable {
    let database: any Database
    let mailer: Mailer?
    let channels: ChannelSender
    let social: SocialSender
    let notifications: NotificationService
    let imports: ListingImportStore

    func figures() throws -> OperatorFigures {
        let (mails, events, delays) = (try mailer?.figures, channels.figures, notifications.delayHistogram)
        var figures = OperatorFigures()
        figures.mails = mails.map { ($0.sent, $0.failed + $0.refused) }
        figures.pushMessages = (events.pushSent, events.pushFailed)
        figures.webhooks = (events.webhookSent, events.webhookFailed)
        figures.waiting = try channels.waiting + (mails?.waiting ?? 0)
        (figures.medianDelay, figures.longDelay) = (delays.quantile(0.5), delays.quantile(0.99))
        figures.openReports = try database.statistics().openReports
        figures.imports = try imports.countByState()
        return figures
    }
}
