import ArgumentParser
import Channels
import Foundation
import Logging

/// The options for messages to browsers and webhooks.
struct ChannelOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The private key for push services, P-256 as PEM. (default: vapid-key.pem in the data folder, made once)",
            valueName: "file"
        )
    )
    var vapidKeyFile: String?

    @OptionGroup var outgoingOptions: OutgoingOptions

    func settings(_ data: URL, _ logger: Logger) throws -> ChannelSettings {
        let option = "vapid-key-file"
        let key =
            if let path = vapidKeyFile ?? Environment.text(option) {
                try VAPIDKeyFile.read(try inputFile(path), field: option)
            } else {
                try VAPIDKeyFile.readOrCreate(data.appending(path: VAPIDKeyFile.name))
            }
        return ChannelSettings(key: key, outgoing: try outgoingOptions.settings(), logger: logger)
    }
}
