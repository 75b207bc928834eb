package import Domain
package import OutgoingHTTP

/// The public HTTP interface of a service, with the token of one account.
protocol SocialClient: Sendable {
    /// Returns the name of the account. Throws if the token or the chat cannot be used.
    func verify() async throws -> String

    /// Posts, and returns what the service calls the post.
    ///
    /// - Parameter key: the same for each attempt to make a post.
    func post(_ content: SocialContent, _ photo: SocialContent.Photo?, key: String) async throws -> String

    func edit(_ id: String, _ content: SocialContent, hasPhoto: Bool) async throws

    /// Deletes a post. If the service does not delete it, shows other words in their place, and throws.
    func delete(_ id: String, orShow words: String, hasPhoto: Bool) async throws
}

/// Why a service did not do what it was asked.
package enum SocialFailure: Error, Equatable, Sendable {
    /// The token or the chat cannot be used.
    case refused(SocialAccount.Problem)
    /// The service does not take this post, or its answer is none that it documents.
    case rejected
    /// The post is not at the service.
    case gone
    /// The service asks to wait, or fails at present.
    ///
    /// - Parameter seconds: nil if the service does not say how long.
    case busy(seconds: Int?)
    /// No answer.
    case unreachable(OutgoingFailure)

    /// The error for a person who tries an account.
    package var problem: ServiceError {
        switch self {
        case .refused(.chat): Self.conflict("chat", "the service knows no such chat, or the bot may not write there")
        case .refused, .gone, .rejected: Self.conflict("token", "the service does not accept the token")
        case .busy: ServiceError(.unavailable, "the service does not answer at present: try again later")
        case .unreachable(let failure): Self.conflict("server", Self.reason(failure))
        }
    }

    /// An error for data of the right form that the service does not accept.
    private static func conflict(_ field: String, _ text: ErrorMessage) -> ServiceError {
        ServiceError(.conflict, "\(field): \(text)", field: field)
    }

    /// Says no more than users may know: not whether the name leads to addresses that are not permitted.
    private static func reason(_ failure: OutgoingFailure) -> ErrorMessage {
        switch failure {
        case .tooSlow: "the server took too long to answer"
        case .notTrusted: "the server has no valid certificate"
        case .notPermitted, .noPublicAddress, .notReachable, .noAnswer: "the server cannot be reached"
        }
    }
}

/// Makes the clients of accounts.
package struct SocialClients: Sendable {
    /// Where Telegram's Bot API is.
    package static let telegramServer = "https://api.telegram.org"
    private static let time = 20_000
    /// An answer with a post contains the account with all that it says of itself.
    private static let maxAnswer = 256 << 10

    private let http: HTTPSClient
    private let outgoing: OutgoingSettings
    private let telegram: String
    private let now: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - outgoing: what is permitted for requests to servers that users name.
    ///   - telegram: the origin of the Bot API server.
    package init(
        _ outgoing: OutgoingSettings,
        resolver: any NameResolver = SystemResolver(),
        telegram: String = telegramServer,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        var settings = outgoing
        (settings.time, settings.maxBody) = (max(outgoing.time, Self.time), Self.maxAnswer)
        settings.atOnce = SocialSender.atOnce + 2
        (self.outgoing, self.telegram, self.now) = (settings, telegram, now)
        http = HTTPSClient(settings, resolver: resolver)
    }

    /// Reads the address of a Mastodon server.
    package func server(_ text: String) throws(ServiceError) -> String {
        let text = text.contains("://") ? text : "https://\(text)"
        let url = try OutgoingURL(text, field: "server", settings: outgoing)
        guard url.scheme == .https, url.path == "/" else {
            throw .invalid("server", "expected the address of a server, such as https://mastodon.social")
        }
        return url.origin
    }

    /// Checks the form of a token.
    package static func check(_ token: String, of service: SocialAccount.Service) throws(ServiceError) {
        switch service {
        case .telegram:
            guard token.wholeMatch(of: /[0-9]{1,20}:[A-Za-z0-9_\-]{20,100}/) != nil else {
                throw .invalid(
                    "token", "expected the token of a bot, such as 123456:ABC-DEF..., as @BotFather tells it")
            }
        case .mastodon:
            guard token.wholeMatch(of: /[A-Za-z0-9_\-.]{10,200}/) != nil else {
                throw .invalid("token", "expected the access token of an application")
            }
        }
    }

    /// Asks the service for the name of an account. Throws `ServiceError` for the person who gave the token.
    package func verify(_ address: SocialAccount.Address, token: String) async throws -> String {
        do {
            return try await client(address, token: token).verify()
        } catch let failure as SocialFailure {
            throw failure.problem
        }
    }

    func client(_ address: SocialAccount.Address, token: String) throws -> any SocialClient {
        let requests = SocialRequests(http: http, settings: outgoing, now: now)
        return switch address.service {
        case .telegram: TelegramClient(requests: requests, server: telegram, token: token, chat: address.chat ?? "")
        case .mastodon: MastodonClient(requests: requests, server: address.server ?? "", token: token)
        }
    }
}
