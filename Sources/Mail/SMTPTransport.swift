import CCurl
import Foundation
import Synchronization

/// Sends messages to a mail server by SMTP, at most two at once. It has its own threads, because libcurl's calls block.
package final class SMTPTransport: MailTransport {
    private let server: SMTPServer
    private let queue = OperationQueue()

    /// In milliseconds.
    private static let connectTime = 10_000
    /// The time limit for a whole delivery, in milliseconds.
    private static let wholeTime = 60_000

    package init(_ server: SMTPServer) {
        self.server = server
        queue.name = "smtp"
        queue.maxConcurrentOperationCount = 2
        _ = Self.isReady
    }

    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    /// Stops within a second after its task is cancelled, or at once if the message was still queued.
    package func send(_ message: MIMEMessage) async throws {
        let attempt = Attempt()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
                queue.addOperation { [server] in
                    done.resume(with: Result { try Self.send(message, to: server, attempt) })
                }
            }
        } onCancel: {
            attempt.cancel()
        }
    }

    private final class Attempt: Sendable {
        private let cancelled = Atomic(false)

        var isCancelled: Bool { cancelled.load(ordering: .relaxed) }

        func cancel() { cancelled.store(true, ordering: .relaxed) }
    }

    private static func send(_ message: MIMEMessage, to server: SMTPServer, _ attempt: Attempt) throws {
        guard !attempt.isCancelled else { throw CancellationError() }
        guard let handle = curl_easy_init() else { throw MailFailure("libcurl: no handle") }
        defer { curl_easy_cleanup(handle) }
        let recipients = curl_slist_append(nil, "<\(message.recipient)>")
        defer { curl_slist_free_all(recipients) }
        configure(handle, server)
        curl_set_text(handle, CURLOPT_MAIL_FROM, "<\(message.sender)>")
        curl_set_list(handle, CURLOPT_MAIL_RCPT, recipients)
        curl_set_number(handle, CURLOPT_UPLOAD, 1)
        curl_set_watch(handle, watch, Unmanaged.passUnretained(attempt).toOpaque())
        var rest = message.bytes[...]
        let code = withExtendedLifetime(attempt) {
            withUnsafeMutablePointer(to: &rest) { source in
                curl_set_source(handle, read, source)
                return curl_easy_perform(handle)
            }
        }
        guard code != CURLE_OK else { return }
        guard code != CURLE_ABORTED_BY_CALLBACK else { throw CancellationError() }
        let reply = curl_get_reply(handle)
        // Replies from 500 to 599 concern the recipient and are permanent, except a failed login, which an
        // administrator can correct.
        let isPermanent = (500...599).contains(reply) && code != CURLE_LOGIN_DENIED
        throw MailFailure("\(String(cString: curl_easy_strerror(code))), reply \(reply)", isPermanent: isPermanent)
    }

    private static func configure(_ handle: UnsafeMutableRawPointer, _ server: SMTPServer) {
        curl_set_text(handle, CURLOPT_URL, server.address)
        curl_set_text(handle, CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        let security = server.needsTLS ? CURLUSESSL_ALL : CURLUSESSL_NONE
        curl_set_number(handle, CURLOPT_USE_SSL, Int(security.rawValue))
        curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        curl_leave_resolving(handle)
        curl_set_number(handle, CURLOPT_CONNECTTIMEOUT_MS, connectTime)
        curl_set_number(handle, CURLOPT_TIMEOUT_MS, wholeTime)
        // Ignores the proxies in the environment, which are not meant for e-mail.
        curl_set_text(handle, CURLOPT_PROXY, "")
        if let user = server.user { curl_set_text(handle, CURLOPT_USERNAME, user) }
        if let password = server.password { curl_set_text(handle, CURLOPT_PASSWORD, password) }
        if let authorities = server.authorities { curl_set_text(handle, CURLOPT_CAINFO, authorities.path) }
    }

    /// libcurl calls this at least once a second. A result other than 0 stops the transfer.
    private static let watch: curl_xferinfo_callback = { attempt, _, _, _, _ in
        guard let attempt else { return 0 }
        return Unmanaged<Attempt>.fromOpaque(attempt).takeUnretainedValue().isCancelled ? 1 : 0
    }

    /// libcurl calls this for the next bytes.
    private static let read: curl_read_callback = { buffer, size, count, source in
        guard let buffer, let rest = source?.assumingMemoryBound(to: ArraySlice<UInt8>.self) else { return 0 }
        let piece = rest.pointee.prefix(size * count)
        piece.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress {
                buffer.withMemoryRebound(to: UInt8.self, capacity: bytes.count) {
                    UnsafeMutableRawPointer($0).copyMemory(from: start, byteCount: bytes.count)
                }
            }
        }
        rest.pointee = rest.pointee.dropFirst(piece.count)
        return piece.count
    }
}
