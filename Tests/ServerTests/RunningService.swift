import Credentials
import Domain
import Foundation
import FoundationNetworking
import Hummingbird
import ImageClassifier
import Logging
import Photos
import Server
import Storage
import TestSupport
import Testing

/// The real server on a free loopback port, over a board of its own.
struct RunningService {
    let board: Board
    private let base: String

    /// Starts a server, hands it over, and stops it whatever happens.
    static func with(hasModel: Bool = true, _ body: (RunningService) async throws -> Void) async throws {
        let board = try await Board()
        let model = hasModel ? try await Bundled.models.model() : nil
        let service = try await Service(over: board, model: model)
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let (ports, ready) = AsyncStream.makeStream(of: Int.self)
        let application = service.application(host: "127.0.0.1", port: 0, logger: logger) { port in
            ready.yield(port)
            ready.finish()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await application.runService(gracefulShutdownSignals: [])
            }
            defer { group.cancelAll() }
            let port = try #require(await ports.first { _ in true })
            try await body(RunningService(board: board, base: "http://127.0.0.1:\(port)"))
        }
    }

    struct Answer {
        let status: Int
        let headers: [String: String]
        let body: Data
        let json: JSONValue

        subscript(path: String...) -> JSONValue? {
            path.reduce(json) { value, key in
                switch value {
                case .object(let fields)?: fields[key]
                case .array(let items)?: Int(key).flatMap { items.indices.contains($0) ? items[$0] : nil }
                default: nil
                }
            }
        }

        func text(_ path: String...) -> String? {
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

        var features: [JSONValue] {
            if case .array(let items)? = self["features"] { items } else { [] }
        }
    }

    @discardableResult
    func send(
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        token: String? = nil,
        headers: [String: String] = [:]
    ) async throws -> Answer {
        let type = body == nil ? [:] : ["Content-Type": "application/json"]
        return try await send(method, path, bytes: body.map { Data($0.utf8) }, token, type.merging(headers) { $1 })
    }

    /// Whatever the bytes are.
    @discardableResult
    func send(
        _ method: String,
        _ path: String,
        bytes: Data?,
        _ token: String?,
        _ headers: [String: String] = [:]
    ) async throws -> Answer {
        var request = URLRequest(url: try #require(URL(string: base + path)))
        request.httpMethod = method
        request.httpBody = bytes
        if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        let (data, response) = try await URLSession.shared.data(for: request)
        let http = try #require(response as? HTTPURLResponse)
        let fields = http.allHeaderFields.reduce(into: [String: String]()) { result, field in
            result["\(field.key)".lowercased()] = "\(field.value)"
        }
        let json = (try? JSONDecoder().decode(JSONValue.self, from: data)) ?? .null
        return Answer(status: http.statusCode, headers: fields, body: data, json: json)
    }

    func guest() async throws -> String {
        try #require(try await send("POST", "/v1/guests").text("token"))
    }

    func register(_ email: String, guest: String? = nil) async throws -> String {
        let body = #"{"email": "\#(email)", "password": "correct horse", "first_name": "Anna", "phone": "089 1234567"}"#
        return try #require(try await send("POST", "/v1/accounts", body, token: guest).text("token"))
    }

    func post(_ body: String, _ token: String) async throws -> String {
        let answer = try await send("POST", "/v1/listings", body, token: token)
        #expect(answer.status == 201)
        return try #require(answer.text("id"))
    }
}

extension Service {
    /// With what comes with the program, and nothing that a test would have to wait for.
    init(over board: Board, model: ImageModel?) async throws {
        self.init(
            database: board.database,
            gazetteer: try Bundled.gazetteer(),
            breeds: try Bundled.breeds(),
            passwords: try PasswordHasher(),
            baseURL: try #require(BaseURL("https://dogs.example.org/")),
            photoDesk: try PhotoDesk(over: board, model: model)
        )
    }
}

extension PhotoDesk {
    init(over board: Board, model: ImageModel?) throws {
        self.init(
            photos: PhotoStore(board.database),
            folder: PhotoFolder(data: board.folder.url),
            developer: .built(),
            recogniser: BreedRecogniser(model: model, breeds: try Bundled.breeds())
        )
    }
}
