package import Domain
import Foundation
package import OutgoingHTTP
import Synchronization

/// `services.py`, which imitates both services, and the requests that it has got.
package final class SocialServices: Sendable {
    package struct Request: Decodable, Sendable {
        package let request: String
        package let headers: [String: String]
        package let fields: [String: JSONValue]

        package func text(_ field: String) -> String? {
            if case .string(let text) = fields[field] { text } else { nil }
        }
    }

    package static let telegramToken = "123456:good-token-of-a-bot-0000"
    package static let mastodonToken = "good-token-of-an-application"

    private let receiver: Receiver
    private let taken = Mutex<[Request]>([])
    /// The numbers of scripts that were sent and confirmed.
    private let scripts = Mutex((sent: 0, confirmed: 0))

    package init() throws {
        let program = Repository.root.appending(path: "Tests/SocialMediaTests/services.py").path
        receiver = try Receiver(running: ["python3", program, Receiver.folder.path])
        let receiver = receiver
        Thread.detachNewThread { [weak self] in
            while let line = receiver.nextLine() {
                guard let self else { return }
                if line == #""scripted""# { scripts.withLock { $0.confirmed += 1 } }
                guard let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8)) else { continue }
                taken.withLock { $0.append(request) }
            }
        }
    }

    deinit { _ = receiver.stop() }

    package var origin: String { "https://127.0.0.1:\(receiver.port)" }

    package var settings: OutgoingSettings { receiver.settings() }

    package var requests: [Request] { taken.withLock(\.self) }

    /// The last parts of the paths of requests, such as `sendPhoto`, with the methods that are not POST.
    package var calls: [String] {
        requests.map { request in
            let parts = request.request.split(separator: " ")
            let path = parts[1].split(separator: "/").suffix(parts[1].hasPrefix("/bot") ? 1 : 2).joined(separator: "/")
            return parts[0] == "POST" ? path : "\(parts[0]) \(path)"
        }
    }

    package func last(_ call: String) -> Request? { requests.last { $0.request.contains(call) } }

    /// Answers the next request whose method and path contain `part` in another way.
    package func script(_ part: String, status: Int, _ body: String = "", headers: [String: String] = [:]) async throws
    {
        let fields: [String: JSONValue] = [
            "for": .string(part), "status": .number(Double(status)), "body": .string(body),
            "headers": .object(headers.mapValues(JSONValue.string)),
        ]
        try await script(String(decoding: try JSONEncoder().encode(fields), as: UTF8.self))
    }

    package func script(_ part: String, _ behaviour: String) async throws {
        try await script(#"{"for":"\#(part)","\#(behaviour)":true}"#)
    }

    /// Returns when the program knows the script.
    private func script(_ line: String) async throws {
        scripts.withLock { $0.sent += 1 }
        receiver.tell(line)
        try await until("the script") { scripts.withLock { $0.confirmed >= $0.sent } }
    }
}
