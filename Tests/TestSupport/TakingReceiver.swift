import Domain
package import Foundation
package import OutgoingHTTP
import Synchronization

/// A `Receiver` that remembers the requests to `/take/...`.
package final class TakingReceiver: Sendable {
    package struct Taken: Decodable, Sendable {
        package let path: String
        package let headers: [String: String]
        package let body: Data
    }

    private let receiver: Receiver
    private let requests = Mutex<(begun: [String], taken: [Taken])>(([], []))

    package init(
        address: String = "127.0.0.1",
        port: Int = 0,
        scheme: OutgoingURL.Scheme = .https
    ) throws {
        receiver = try Receiver(address: address, port: port, scheme: scheme)
        let receiver = receiver
        Thread.detachNewThread { [weak self] in
            while let line = receiver.nextLine() {
                guard let self else { return }
                if line.hasPrefix("request ") { requests.withLock { $0.begun.append(String(line.dropFirst(8))) } }
                guard line.hasPrefix("taken ") else { continue }
                guard let taken = try? JSONDecoder().decode(Taken.self, from: Data(line.dropFirst(6).utf8)) else {
                    continue
                }
                requests.withLock { $0.taken.append(taken) }
            }
        }
    }

    deinit { _ = receiver.stop() }

    package var port: Int { receiver.port }

    /// The requests that were answered, in this order.
    package var taken: [Taken] { requests.withLock(\.taken) }

    /// The paths of the requests, answered or not.
    package var begun: [String] { requests.withLock(\.begun) }

    package var settings: OutgoingSettings { receiver.settings() }

    /// - Parameters:
    ///   - path: as `receiver.py` describes it, without `/take/`.
    ///   - host: `receiver.test`, whose address a `ScriptedResolver` gives, or the address itself.
    package func url(_ path: String, host: String = "127.0.0.1") -> String { "https://\(host):\(port)/take/\(path)" }

    /// Waits for a number of requests.
    package func wait(for count: Int) async throws {
        try await until("\(count) requests") { taken.count >= count }
    }
}
