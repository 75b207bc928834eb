import Domain
import Foundation
package import Logging
package import OutgoingHTTP
package import WebPush

/// The settings for sending messages to browsers and webhooks.
package struct ChannelSettings: Sendable {
    package let key: VAPIDKey
    package let outgoing: OutgoingSettings
    package let resolver: any NameResolver
    package let logger: Logger

    package init(
        key: VAPIDKey,
        outgoing: OutgoingSettings = OutgoingSettings(),
        resolver: any NameResolver = SystemResolver(),
        logger: Logger
    ) {
        var outgoing = outgoing
        outgoing.atOnce = ChannelSender.pushAtOnce + ChannelSender.webhooksAtOnce
        (self.key, self.outgoing, self.resolver, self.logger) = (key, outgoing, resolver, logger)
    }
}
