public import Foundation

#if canImport(FoundationNetworking)
public import FoundationNetworking
#endif

/// A DoggoFinder service, reached over HTTP.
///
/// Reading needs no account. Writing needs the `token` of a `Session`:
///
/// ```swift
/// var service = DoggoFinder(at: URL(string: "https://dogs.example.org")!)
/// service.token = try await service.becomeGuest().token
/// ```
///
/// All functions throw a `Problem` if the service refuses a request, and a `URLError` if it cannot be reached.
public struct DoggoFinder: Sendable {
    package typealias Transport = @Sendable (URLRequest) async throws -> (Data, URLResponse)

    /// The address of the service.
    public let server: URL
    /// The token of the account on whose behalf requests are sent.
    public var token: String?
    /// The language of names, reasons and errors, such as `it`; nil for English.
    public var language: String?
    private let transport: Transport

    /// - Parameters:
    ///   - server: The address of the service.
    ///   - token: The token of an earlier session.
    ///   - language: The language of names, reasons and errors.
    ///   - session: The session that sends the requests; the default stores nothing and sends no cookies.
    public init(at server: URL, token: String? = nil, language: String? = nil, session: URLSession = .withoutStorage) {
        self.init(at: server, token: token, language: language) { try await session.data(for: $0) }
    }

    package init(
        at server: URL,
        token: String? = nil,
        language: String? = nil,
        transport: @escaping Transport
    ) {
        self.server = server
        self.token = token
        self.language = language
        self.transport = transport
    }

    /// Sends a request and decodes the answer.
    func send<Answer: Decodable>(_ call: Call) async throws -> Answer {
        try JSONDecoder.wire.decode(Answer.self, from: try await data(call).body)
    }

    /// Sends a request whose answer has no content.
    func send(_ call: Call) async throws {
        _ = try await data(call)
    }

    func data(_ call: Call) async throws -> (body: Data, status: Int) {
        let (data, response) = try await transport(request(call))
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard (200..<300).contains(status) else { throw Problem(status, data) }
        return (data, status)
    }

    func request(_ call: Call) throws -> URLRequest {
        var request = try call.request(to: server)
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        if let language { request.setValue(language, forHTTPHeaderField: "Accept-Language") }
        return request
    }
}

extension URLSession {
    /// A session that stores nothing. A cookie beside a token would make unclear on whose behalf a request is.
    public static let withoutStorage: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        return URLSession(configuration: configuration)
    }()
}
