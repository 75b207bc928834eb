import ArgumentParser
import Domain
import Foundation
import Logging
import Mail
import Storage

/// The options for sending e-mail.
struct MailOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How mails are sent: smtp://HOST:PORT, smtps://HOST:PORT, file:FOLDER for a folder of files, or none. TLS is required but for \
            this machine; ?tls=none or ?tls=required says otherwise. (default: none)
            """,
            valueName: "address"
        )
    )
    var mail: String?

    @Option(help: "The sender of mails, such as \"Dogs of Salerno <dogs@example.org>\".")
    var mailFrom: String?

    @Option(help: "The name by which the mail server knows us. (default: without)")
    var mailUser: String?

    @Option(help: ArgumentHelp("A file with the password for the mail server.", valueName: "file"))
    var mailPasswordFile: String?

    @Option(
        help: ArgumentHelp("Certificates to trust of a mail server, as PEM. (default: the system's)", valueName: "file")
    )
    var mailCaFile: String?

    @Option(help: "How many mails are sent at once, each by a connection of its own, from 1 to 100. (default: 4)")
    var mailConnections: Int?

    @Option(help: "How many mails are sent in a second at most, from 1 to 10000. (default: without limit)")
    var mailRate: Int?

    /// Returns nil if the server sends no e-mail.
    ///
    /// - Parameters:
    ///   - hasBaseURL: whether a base URL for links in e-mails is configured.
    ///   - database: keeps the mails until they are sent.
    ///   - logger: receives failed deliveries.
    func mailer(hasBaseURL: Bool, _ database: any Database, _ logger: Logger) throws -> Mailer? {
        let address = mail ?? Environment.text("mail") ?? "none"
        guard address != "none" else { return nil }
        guard let text = mailFrom ?? Environment.text("mail-from"), let from = MailAddress(text) else {
            throw ValidationError("mail-from: expected an address like \"Dogs of Salerno <dogs@example.org>\"")
        }
        let store = OutgoingMailStore(database)
        let settings = try settings()
        if address.hasPrefix("file:") {
            let folder = URL(filePath: String(address.dropFirst("file:".count)))
            return Mailer(try FolderTransport(folder), store: store, from: from, settings: settings, logger: logger)
        }
        guard hasBaseURL else {
            throw ValidationError("base-url: expected together with mail: the links of mails begin with it")
        }
        let server = try SMTPServer(
            parsing: address,
            user: mailUser ?? Environment.text("mail-user"),
            password: try password(),
            authorities: (mailCaFile ?? Environment.text("mail-ca-file")).map(inputFile)
        )
        return Mailer(SMTPTransport(server), store: store, from: from, settings: settings, logger: logger)
    }

    private func settings() throws -> MailSettings {
        var settings = MailSettings()
        let (connections, rates) = (MailSettings.connectionRange, MailSettings.rateRange)
        settings.connections =
            try Environment.number("mail-connections", mailConnections, in: connections, "a number from 1 to 100")
            ?? settings.connections
        settings.rate = try Environment.number("mail-rate", mailRate, in: rates, "a number from 1 to 10000")
        return settings
    }

    private func password() throws -> String? {
        guard let path = mailPasswordFile ?? Environment.text("mail-password-file") else { return nil }
        return try secret(in: path, option: "mail-password-file", "a password")
    }
}
