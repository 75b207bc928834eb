import Domain
import Foundation

/// A client of the W3C WebDriver protocol on a loopback port.
struct WebDriver: Sendable {
    let port: Int
    /// The prefix of all paths.
    var base = ""

    /// An error response of WebDriver.
    struct Refusal: Error, CustomStringConvertible {
        /// An error code such as `no such element`.
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

    /// Sends a command of the Chrome DevTools Protocol to the current page.
    @discardableResult
    func devTools(_ command: String, _ parameters: JSONValue = [:]) async throws -> JSONValue {
        try await post("/goog/cdp/execute", ["cmd": .string(command), "params": parameters])
    }

    private static let staleNodes = [
        "Node with given id does not belong to the document", "No node with given id found",
    ]

    private func send(_ method: HTTPMethod, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
        let content = try body.map { try JSONEncoder().encode($0) } ?? Data()
        let (status, answer) = try await exchange(method, base + path, content, port: port)
        let value = try JSONDecoder().decode(JSONValue.self, from: answer)["value"]
        guard status == 200 else {
            let message = value["message"].text ?? ""
            // Chromedriver's word for a stale element, sometimes: https://github.com/SeleniumHQ/selenium/issues/15401.
            let isStale = Self.staleNodes.contains { message.contains($0) }
            let code = isStale ? "stale element reference" : value["error"].text ?? "no answer"
            throw Refusal(code: code, message: message)
        }
        return value
    }
}
