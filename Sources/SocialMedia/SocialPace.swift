import Domain

/// When accounts may post again. It is not stored: after a restart, a service that still asks to wait says so once more.
struct SocialPaces {
    /// The least time between two requests of an account. Telegram takes 20 messages a minute in a group; Mastodon takes 300
    /// requests in 5 minutes, of which a post with a photo needs two or more, and 30 photos in 30 minutes, after which it
    /// says how long to wait.
    private static func gap(_ service: SocialAccount.Service) -> Double {
        switch service {
        case .telegram: 3.1
        case .mastodon: 4
        }
    }

    private static let maxPause = 3_600
    /// More accounts than there are.
    private static let maxAccounts = 10_000

    private var resumptions: [Int64: Timestamp] = [:]

    /// - Parameter seconds: the time for which the service asked to send nothing.
    mutating func note(_ account: SocialAccount, at time: Timestamp, asked seconds: Int? = nil) {
        if resumptions.count >= Self.maxAccounts { resumptions = [:] }
        let pause = max(Self.gap(account.address.service), Double(min(max(0, seconds ?? 0), Self.maxPause)))
        resumptions[account.key] = time.adding(seconds: pause)
    }

    /// The keys of accounts that send nothing now.
    mutating func waiting(at time: Timestamp) -> [Int64] {
        resumptions = resumptions.filter { $0.value > time }
        return Array(resumptions.keys)
    }

    func nextResumption(after time: Timestamp) -> Timestamp? { resumptions.values.filter { $0 > time }.min() }
}
