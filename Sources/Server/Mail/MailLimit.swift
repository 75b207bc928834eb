import Concurrency
import HTTP
import Mail
import Synchronization

/// A limit on the mails to one recipient, whoever causes them.
struct MailLimit: Sendable {
    private let limit: RateLimit
    private let counters: any LimitCounters

    /// - Parameters:
    ///   - name: the name of the counters.
    ///   - quota: the number of mails in an hour.
    init(_ name: String, quota: Double, _ counters: any LimitCounters) {
        limit = RateLimit(name: name, quota: quota, window: 3600, unit: nil)
        self.counters = counters
    }

    /// Returns the draft of a mail that is only written if the recipient has not received too many.
    func apply(to recipient: String, _ draft: @escaping Mailer.Draft) -> Mailer.Draft {
        let count = CountedMail()
        return {
            let isAllowed = try await count.isAllowed { try await takes(recipient) }
            return isAllowed ? try await draft() : nil
        }
    }

    private func takes(_ recipient: String) async throws -> Bool {
        do {
            try await counters.take([QuotaCharge(limit, recipient)])
            return true
        } catch is RateLimitExceededError {
            return false
        }
    }
}

/// A mail that is counted once, although its draft is repeated after an error.
private final class CountedMail: Sendable {
    private let answer = Mutex<Bool?>(nil)

    func isAllowed(_ count: () async throws -> Bool) async throws -> Bool {
        if let answer = answer.withLock({ $0 }) { return answer }
        let isAllowed = try await count()
        answer.withLock { $0 = isAllowed }
        return isAllowed
    }
}
