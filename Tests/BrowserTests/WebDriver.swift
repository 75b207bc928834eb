import Domain
import Foundation

/// Commands of the W3C's WebDriver protocol, to a loopback port.
struct WebDriver: Sendable {
    let port: Int
    /// What all paths begin with.
    var base = ""

    /// What was refused, in the protocol's words.
    struct Refusal: Error, CustomStringConvertible {
        /// Like `no such element`.
        let code: String
        let message: String

        var description: String { "\(code): \(message)" }
    }

    @discardableResult
    func get(_ path: String) async throws -> JSONValue { try await send(.GET, path, nil) }

    @discardableResult
    func post(_ path: String, _ body: JSONValue = [:]) async throws -> JSONValue { try await send(.POST, path, body) }

    @discardableResult
    func delete(_ path: String) async throws -> JSONValue { try await send(.DELETE, path, nil) }

    /// A command of Chrome's own protocol, to the page that is open.
    @discardableResult
    func devTools(_ command: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await post("/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    private func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
        let content = try body.map { try JSONEncoder().encode($0) } ?? Data()
        let (status, answer) = try await exchange(method, base + path, content, port: port)
        let value = try JSONDecoder().decode(JSONValue.self, from: answer)["value"]
        guard status == 200 else {
            throw Refusal(code: value["error"].text ?? "no answer", message: value["message"].text ?? "")
        }
        return value
    }
}
