import TestSupport
import Testing

@testable import OutgoingHTTP

@Suite("HTTP/2 to addresses that users give", .enabled(if: Receiver.speaksHTTP2))
struct HTTP2Tests {
    private let receiver: Receiver
    private let loopback = ScriptedResolver(["127.0.0.1"])

    init() throws {
        receiver = try Receiver(http2: "127.0.0.1")
    }

    private func request(_ path: String, host: String = "receiver.test") throws -> OutgoingRequest {
        let url = "https://\(host):\(receiver.port)\(path)"
        return OutgoingRequest(try OutgoingURL(url, settings: receiver.settings()), body: Array("body".utf8))
    }

    /// - Parameter time: in milliseconds. Beside many other tests, an answer may take minutes.
    private func client(_ time: Int = 600_000) -> HTTPSClient {
        var settings = receiver.settings()
        settings.time = time
        settings.atOnce = 100
        return HTTPSClient(settings, resolver: loopback)
    }

    /// Returns the failure of each request, or nil.
    private func failures(_ client: HTTPSClient, _ paths: [String]) async throws -> [OutgoingFailure?] {
        try await withThrowingTaskGroup(of: OutgoingFailure?.self) { group in
            for path in paths {
                let request = try request(path)
                group.addTask {
                    do {
                        let answer = try await client.send(request)
                        #expect(answer.status == 200)
                        return nil
                    } catch let failure as OutgoingFailure {
                        return failure
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test("Many requests share one connection, which stays open for the next ones")
    func sharing() async throws {
        let client = client()
        let first = try await failures(client, Array(repeating: "/later", count: 50))
        let second = try await failures(client, Array(repeating: "/echo", count: 50))
        #expect((first + second).allSatisfy { $0 == nil })
        let lines = receiver.stop()
        #expect(lines.count { $0 == "connection" } == 1 && lines.count { $0.hasPrefix("request") } == 100)
    }

    @Test("A connection to an address that the name no longer has is not used")
    func changedAddress() async throws {
        let other = try Receiver(http2: "127.0.0.2", port: receiver.port)
        let resolver = ScriptedResolver(["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"])
        var settings = receiver.settings("127.0.0.1/32", "127.0.0.2/32")
        settings.time = 600_000
        let client = HTTPSClient(settings, resolver: resolver)
        for _ in 0..<3 { #expect(try await client.send(request("/echo")).status == 200) }
        #expect(other.stop() == ["connection", "request /echo"])
        #expect(receiver.stop().count { $0 == "request /echo" } == 2)
    }

    @Test("Resets, long headers, bodies without end and silence fail alone")
    func hostile() async throws {
        let client = client()
        let silent = Task { try await failures(client, Array(repeating: "/silence", count: 10)) }
        async let reset = failures(client, Array(repeating: "/reset", count: 20))
        async let refused = failures(client, Array(repeating: "/refuse", count: 5))
        async let long = failures(client, Array(repeating: "/long-headers", count: 5))
        async let endless = failures(client, Array(repeating: "/endless-body", count: 5))
        let good = try await failures(client, Array(repeating: "/later", count: 20))
        #expect(good.allSatisfy { $0 == nil }, "\(good)")
        #expect(try await reset.allSatisfy { $0 == .noAnswer })
        #expect(try await refused.allSatisfy { $0 != nil })
        #expect(try await long.allSatisfy { $0 == .noAnswer })
        // Reading stops at the limit, and the status counts.
        #expect(try await endless.allSatisfy { $0 == nil })
        silent.cancel()
        await #expect(throws: CancellationError.self) { try await silent.value }
        #expect(try await failures(self.client(500), ["/silence"]) == [.tooSlow])
        _ = receiver.stop()
    }

    @Test("A certificate for another name, or of an unknown authority, is refused beside a trusted connection")
    func certificates() async throws {
        let client = client()
        #expect(try await client.send(request("/echo")).status == 200)
        await #expect(throws: OutgoingFailure.notTrusted) {
            try await client.send(request("/echo", host: "other.test"))
        }
        var settings = receiver.settings()
        settings.authorities = nil
        let strict = HTTPSClient(settings, resolver: loopback)
        await #expect(throws: OutgoingFailure.notTrusted) { try await strict.send(request("/echo")) }
        #expect(receiver.stop().count { $0.hasPrefix("request") } == 1)
    }

    @Test("After GOAWAY the next request gets a new connection")
    func goaway() async throws {
        let client = client()
        for path in ["/goaway", "/echo", "/goaway", "/echo"] {
            #expect(try await client.send(request(path)).status == 200)
        }
        #expect(receiver.stop().count { $0 == "connection" } == 3)
    }
}
