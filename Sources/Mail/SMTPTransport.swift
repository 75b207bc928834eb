import CCurl
import Transfer

/// Sends messages to a mail server by SMTP, at most two at once.
package final class SMTPTransport: MailTransport {
    private let server: SMTPServer
    private let queue = TransferQueue(name: "smtp", atOnce: 2)

    /// In milliseconds.
    private static let connectTime = 10_000
    /// The time limit for a whole delivery, in milliseconds.
    private static let wholeTime = 60_000

    package init(_ server: SMTPServer) {
        self.server = server
    }

    /// Stops within a second after its task is cancelled, or at once if the message was still queued.
    package func send(_ message: MIMEMessage) async throws {
        do {
            try await queue.run { [server] transfer in
                Self.configure(transfer, server)
                transfer.set(CURLOPT_MAIL_FROM, "<\(message.sender)>")
                transfer.set(CURLOPT_MAIL_RCPT, ["<\(message.recipient)>"])
                try transfer.send(message.bytes)
            }
        } catch let failure as TransferFailure {
            throw MailFailure(failure)
        }
    }

    private static func configure(_ transfer: Transfer, _ server: SMTPServer) {
        transfer.set(CURLOPT_URL, server.address)
        transfer.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        let security = server.needsTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        transfer.set(CURLOPT_USE_SSL, Int(security.rawValue))
        transfer.limitTime(toConnect: connectTime, whole: wholeTime)
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
        self.init("\(failure)", isPermanent: isPermanent)
    }
}
