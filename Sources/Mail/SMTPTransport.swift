import CCurl
import Synchronization
import Transfer

/// Sends messages to a mail server by SMTP, each by a connection of its own. Messages that follow each other share one.
///
/// libcurl waits for the answer to the text of a mail on the thread of the transfer, so each connection has its thread.
package final class SMTPTransport: MailTransport {
    private let server: SMTPServer
    /// The connections that no message uses.
    private let idle = Mutex<[TransferQueue]>([])
    private let wholeTime: Int

    /// In milliseconds.
    private static let connectTime = 10_000
    /// The age in seconds from which on an idle connection is not used again, because the server may have closed it.
    private static let idleTime = 10

    /// - Parameter wholeTime: the time limit for a whole delivery, in milliseconds.
    package init(_ server: SMTPServer, wholeTime: Int = 60_000) {
        self.server = server
        self.wholeTime = wholeTime
    }

    /// Stops as soon as its task is cancelled. A connection is used again only after a message was taken.
    package func send(_ message: MIMEMessage) async throws {
        let queue = idle.withLock { $0.popLast() } ?? Self.newQueue()
        do {
            try await queue.run { transfer in
                Self.configure(transfer, server)
                transfer.limitTime(toConnect: Self.connectTime, whole: wholeTime)
                transfer.set(CURLOPT_MAIL_FROM, "<\(message.sender)>")
                transfer.set(CURLOPT_MAIL_RCPT, ["<\(message.recipient)>"])
                transfer.upload(message.bytes)
            }
            idle.withLock { $0.append(queue) }
        } catch let failure as TransferFailure {
            throw MailFailure(failure)
        }
    }

    package func rest() { idle.withLock { $0 = [] } }

    private static func newQueue() -> TransferQueue {
        TransferQueue(name: "smtp", atOnce: 1, usesPerConnection: 50, idleTime: .seconds(idleTime))
    }

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
        if let authorities = server.authorities { transfer.trust(authorities.path) }
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
