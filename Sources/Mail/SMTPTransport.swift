import CCurl
import Transfer

/// Sends messages to a mail server by SMTP, each by a connection of its own. Messages that follow each other share one.
package final class SMTPTransport: MailTransport {
    private let server: SMTPServer
    private let queue: TransferQueue
    private let wholeTime: Int

    /// In milliseconds.
    private static let connectTime = 10_000
    /// The age in seconds from which on an idle connection is not used again, because the server may have closed it.
    private static let idleTime = 10

    /// - Parameters:
    ///   - connections: the number of connections at once.
    ///   - wholeTime: the time limit for a whole delivery, in milliseconds.
    package init(
        _ server: SMTPServer,
        connections: Int = MailSettings().connections,
        wholeTime: Int = 60_000
    ) {
        self.server = server
        self.wholeTime = wholeTime
        queue = TransferQueue(
            name: "smtp",
            atOnce: connections,
            usesPerConnection: 50,
            idleTime: .seconds(Self.idleTime)
        )
    }

    /// Stops as soon as its task is cancelled.
    package func send(_ message: MIMEMessage) async throws {
        do {
            try await queue.run { transfer in
                Self.configure(transfer, server)
                transfer.limitTime(toConnect: Self.connectTime, whole: wholeTime)
                transfer.set(CURLOPT_MAIL_FROM, "<\(message.sender)>")
                transfer.set(CURLOPT_MAIL_RCPT, ["<\(message.recipient)>"])
                transfer.upload(message.bytes)
            }
        } catch let failure as TransferFailure {
            throw MailFailure(failure)
        }
    }

    package func rest() { queue.closeIdle() }

    private static func configure(_ transfer: Transfer, _ server: SMTPServer) {
        transfer.set(CURLOPT_URL, server.address)
        transfer.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        let security = server.needsTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        transfer.set(CURLOPT_USE_SSL, Int(security.rawValue))
        transfer.set(CURLOPT_MAXAGE_CONN, idleTime)
        // Ignores the proxies in the environment, which are not meant for e-mail.
        transfer.set(CURLOPT_PROXY, "")
        if let user = server.user { transfer.set(CURLOPT_USERNAME, user) }
        if let password = server.password { transfer.set(CURLOPT_PASSWORD, password) }
        if let authorities = server.authorities { transfer.set(CURLOPT_CAINFO, authorities.path) }
    }
}

extension MailFailure {
    fileprivate init(_ failure: TransferFailure) {
        // Replies from 500 to 599 concern the recipient and are permanent, except a failed login, which an
        // administrator can correct.
        let isPermanent = (500...599).contains(failure.reply) && failure.code != CURLE_LOGIN_DENIED
        // Without a reply to a command about the mail, the failure concerns the connection or the login.
        let isOfServer =
            failure.reply == 0
            || [CURLE_LOGIN_DENIED, CURLE_REMOTE_ACCESS_DENIED, CURLE_USE_SSL_FAILED].contains(failure.code)
        self.init("\(failure)", isPermanent: isPermanent && !isOfServer, isOfServer: isOfServer)
    }
}
