import Basemap
package import Channels
package import Credentials
package import Domain
import Formats
package import Foundation
package import FoundationNetworking
package import ImageClassifier
import Logging
package import Mail
package import Mapillary
package import OutgoingHTTP
package import Photos
package import Server
package import Storage
import Synchronization
package import TestSupport
import WebPush

/// The real server on a free loopback port, with its own database.
package struct RunningService: Sendable {
    package let board: TestDatabase
    /// The scheme, host and port.
    package let base: String
    private let service: WebService

    /// Every method and path, as in `WebService.routes`.
    package var routes: [String] { service.routes }

    /// The session stores no cookies, so that requests send only the cookies that a test sets.
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        // The default of a minute is too short if other tests keep the machine busy.
        configuration.timeoutIntervalForRequest = 600
        return URLSession(configuration: configuration)
    }()

    private static let withoutRedirects = URLSession(
        configuration: session.configuration,
        delegate: NoRedirects(),
        delegateQueue: nil
    )

    /// Starts a server, runs the body, and stops the server even if the body throws.
    ///
    /// - Parameters:
    ///   - board: the database of an earlier server, or nil for a new one.
    ///   - model: the model in place of the test model.
    ///   - baseURL: the address at which the server is reachable according to its configuration.
    ///   - quota: the default is none, because most tests post more than a guest may.
    package static func with(
        board: TestDatabase? = nil,
        hasModel: Bool = true,
        model: ImageModel? = nil,
        baseURL: String = "https://dogs.example.org/",
        site: SiteSettings = SiteSettings(),
        limits: RateLimits = .standard,
        connections: ConnectionLimits = .standard,
        quota: Quota = .none,
        maxConnections: Int = 512,
        metrics: MetricsSettings = MetricsSettings(),
        mailer: ((any Database) throws -> Mailer)? = nil,
        channels: ChannelSettings? = nil,
        streetPictures: StreetPictures? = nil,
        secondFactorRequirement: SecondFactor.Requirement = .none,
        passwords: PasswordHasher? = nil,
        clockGuard: ClockGuard? = nil,
        photoFiles: (any PhotoFiles)? = nil,
        now: @escaping @Sendable () -> Timestamp = { .recent },
        monotonicClock: (@Sendable () -> Double)? = nil,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let board = if let board { board } else { try await TestDatabase() }
        let model =
            if let model { model } else if hasModel { try await Bundled.models.model() } else { nil as ImageModel? }
        let service = try await WebService(
            over: board,
            model: model,
            baseURL: baseURL,
            site: site,
            limits: limits,
            connections: connections,
            quota: quota,
            metrics: metrics,
            mailer: try mailer?(board.database),
            channels: channels,
            streetPictures: streetPictures,
            secondFactorRequirement: secondFactorRequirement,
            passwords: passwords,
            clockGuard: clockGuard,
            photoFiles: photoFiles,
            now: now,
            monotonicClock: monotonicClock
        )
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        try await serving {
            service.serviceGroup(
                host: "127.0.0.1",
                port: 0,
                maxConnections: maxConnections,
                logger: logger,
                onReady: $0
            )
        } _: { port in
            try await body(RunningService(board: board, base: "http://127.0.0.1:\(port)", service: service))
        }
    }

    package struct Answer: Sendable {
        package let status: Int
        package let headers: [String: String]
        package let body: Data
        private let decoded = DecodedBody()

        package var json: JSONValue { decoded.value(of: body) }
        package var html: String { String(decoding: body, as: UTF8.self) }

        fileprivate init(status: Int, headers: [String: String], body: Data) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        package subscript(path: String...) -> JSONValue? {
            path.reduce(json) { value, key in
                switch value {
                case .object(let fields)?: fields[key]
                case .array(let items)?: Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
                default: nil
                }
            }
        }

        package func text(_ path: String...) -> String? {
            let value = path.reduce(json as JSONValue?) { value, key in
                switch value {
                case .object(let fields)?: fields[key]
                case .array(let items)?: Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
                default: nil
                }
            }
            if case .string(let text)? = value { return text }
            return nil
        }

        /// A field of the created object.
        package func created(_ field: String) throws -> String {
            guard status == 201, let text = text(field) else {
                throw TestFailure("\(status) \(String(decoding: body, as: UTF8.self))")
            }
            return text
        }

        package var features: [JSONValue] {
            if case .array(let items)? = self["features"] { items } else { [] }
        }
    }

    @discardableResult
    package func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        token: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let type = body == nil ? [:] : ["Content-Type": "application/json"]
        return try await send(method, path, bytes: body.map { Data($0.utf8) }, token, type.merging(headers) { $1 })
    }

    /// Sends a request with any bytes as its body.
    ///
    /// - Parameter isFollowing: whether redirects are followed; otherwise the redirect itself is returned.
    @discardableResult
    package func send(
        _ method: String,
        _ path: String,
        bytes: Data?,
        _ token: String?,
        _ headers: [String: String] = [:],
        isFollowing: Bool = true
    ) async throws -> Answer {
        guard let url = URL(string: base + path) else { throw TestFailure("\(path) is no path") }
        var request = URLRequest(url: url)
        request.httpMethod = method
        request.httpBody = bytes
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await (isFollowing ? Self.session : Self.withoutRedirects).data(for: request)
        guard let http = response as? HTTPURLResponse else { throw TestFailure("no answer by HTTP") }
        let fields = http.allHeaderFields.reduce(into: [String: String]()) { result, field in
            result["\(field.key)".lowercased()] = "\(field.value)"
        }
        return Answer(status: http.statusCode, headers: fields, body: data)
    }

    package func guest() async throws -> String {
        try await send("POST", "/v1/guests").created("token")
    }

    package func register(_ email: String, guest: String? = nil) async throws -> String {
        let body = #"{"email": "\#(email)", "password": "correct horse", "first_name": "Anna", "phone": "089 1234567"}"#
        return try await send("POST", "/v1/accounts", body, token: guest).created("token")
    }

    /// Creates an admin and returns their token.
    package func admin(_ email: String = "admin@example.org") async throws -> String {
        let token = try await register(email)
        guard let account = try await board.accounts.findAccount(email: email) else { throw TestFailure("no \(email)") }
        try await board.accounts.setRole(account, .admin)
        return token
    }

    package func post(_ body: String, _ token: String) async throws -> String {
        try await send("POST", "/v1/listings", body, token: token).created("id")
    }
}

extension WebService {
    /// The names on it are sorted once, which takes seconds in a debug build.
    private static let basemap = Result { Basemap(try Bundled.gazetteer()) }

    /// A service with the bundled data and with test defaults.
    package init(
        over board: TestDatabase,
        model: ImageModel?,
        baseURL: String = "https://dogs.example.org/",
        site: SiteSettings = SiteSettings(),
        limits: RateLimits = .standard,
        connections: ConnectionLimits = .standard,
        quota: Quota = .none,
        metrics: MetricsSettings = MetricsSettings(),
        mailer: Mailer? = nil,
        channels: ChannelSettings? = nil,
        streetPictures: StreetPictures? = nil,
        secondFactorRequirement: SecondFactor.Requirement = .none,
        passwords: PasswordHasher? = nil,
        clockGuard: ClockGuard? = nil,
        photoFiles: (any PhotoFiles)? = nil,
        now: @escaping @Sendable () -> Timestamp = { .recent },
        monotonicClock: (@Sendable () -> Double)? = nil
    ) async throws {
        guard let baseURL = BaseURL(baseURL) else { throw TestFailure("no base URL") }
        try await self.init(
            database: board.database,
            gazetteer: try Bundled.gazetteer(),
            basemap: try Self.basemap.get(),
            breeds: try Bundled.breeds(),
            matchReader: try Bundled.matchReader(),
            passwords: passwords ?? PasswordHasher(cost: .least),
            baseURL: baseURL,
            photoService: try PhotoService(over: board, model: model, files: photoFiles),
            site: site,
            limits: limits,
            connections: connections,
            quota: quota,
            metrics: metrics,
            mailer: mailer,
            channels: channels ?? .silent(),
            streetPictures: streetPictures,
            secondFactorRequirement: secondFactorRequirement,
            clockGuard: clockGuard,
            now: now,
            monotonicClock: monotonicClock
        )
    }
}

extension ChannelSettings {
    /// Permits no addresses but public ones, and logs nothing.
    package static func silent(_ outgoing: OutgoingSettings = OutgoingSettings()) -> ChannelSettings {
        ChannelSettings(
            key: VAPIDKey(),
            outgoing: outgoing,
            logger: Logger(label: "channels") { _ in SwiftLogNoOpLogHandler() }
        )
    }
}

extension PhotoService {
    package init(
        over board: TestDatabase,
        model: ImageModel?,
        reservedBytes: Int = 0,
        files: (any PhotoFiles)? = nil
    ) throws {
        self.init(
            photos: PhotoStore(board.database),
            reports: ReportStore(board.database),
            files: files ?? PhotoFolder(data: board.folder.url),
            scratch: ScratchFolder(board.folder.url),
            reserve: DiskReserve(of: board.folder.url, bytes: reservedBytes),
            processor: .built(),
            recogniser: BreedRecogniser(model: model, breeds: try Bundled.breeds(), try Bundled.matchReader())
        )
    }
}

/// Does not follow redirects.
package final class NoRedirects: NSObject, URLSessionTaskDelegate {
    package func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}

/// Decodes a body when its JSON is first used.
private final class DecodedBody: Sendable {
    private let known = Mutex<JSONValue?>(nil)

    func value(of body: Data) -> JSONValue {
        known.withLock { known in
            if let known { return known }
            let value = (try? JSONDecoder().decode(JSONValue.self, from: body)) ?? .null
            known = value
            return value
        }
    }
}
