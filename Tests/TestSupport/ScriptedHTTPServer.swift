package import Foundation
import Synchronization

/// An HTTP server on loopback that answers all requests in the same way and records them.
package final class ScriptedHTTPServer: Sendable {
    package struct Answer: Sendable {
        fileprivate let bytes: [UInt8]?

        /// No answer until the client closes the connection.
        package static let none = Answer(bytes: nil)

        /// - Parameter location: the target of a redirect.
        package static func body(_ text: String, status: String = "200 OK", location: String? = nil) -> Answer {
            let redirect = location.map { "Location: \($0)\r\n" } ?? ""
            let head =
                "HTTP/1.1 \(status)\r\n\(redirect)Content-Length: \(text.utf8.count)\r\nConnection: close\r\n\r\n"
            return Answer(bytes: Array((head + text).utf8))
        }
    }

    private struct State {
        var requests: [String] = []
        var present = 0
        var most = 0
    }

    private let listener: LoopbackListener
    private let answer: Answer
    private let gate: Gate
    private let state = Mutex(State())

    /// - Parameter isHeld: whether requests are answered only after `release`.
    package init(_ answer: Answer, isHeld: Bool = false) throws {
        listener = try LoopbackListener()
        self.answer = answer
        gate = Gate(isOpen: !isHeld)
        listener.start { [self] in talk($0) }
    }

    package var address: URL? { URL(string: "http://127.0.0.1:\(listener.port)") }

    /// The heads of all requests: the first line and the headers.
    package var requests: [String] { state.withLock(\.requests) }

    /// The largest number of requests that were being answered at the same time.
    package var mostAtOnce: Int { state.withLock(\.most) }

    package func release() { gate.open() }

    package func stop() {
        release()
        listener.stop()
    }

    private func talk(_ connection: Int32) {
        defer { close(connection) }
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while !bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) {
            guard recv(connection, &byte, 1, 0) == 1 else { return }
            bytes.append(byte)
        }
        state.withLock { state in
            state.requests.append(String(decoding: bytes, as: UTF8.self))
            state.present += 1
            state.most = max(state.most, state.present)
        }
        gate.pass()
        // Before the answer, because the client may begin its next request once it has it.
        state.withLock { $0.present -= 1 }
        if let answer = answer.bytes { send(connection, answer, answer.count, Int32(MSG_NOSIGNAL)) }
        // Waits for the client to close the connection.
        while recv(connection, &byte, 1, 0) == 1 {}
    }
}
