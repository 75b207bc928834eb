import CCurl
import Concurrency
import Domain
import Foundation
import TestSupport
import Testing
import Transfer

@testable import OutgoingHTTP

@Suite("HTTPS to addresses that users give", .enabled(if: Receiver.isAvailable))
struct HTTPSClientTests {
    private struct Echo: Decodable {
        let line: String
        let headers: [String: String]
        let body: String
        let sni: String?
    }

    private let receiver: Receiver
    private let loopback = ScriptedResolver(["127.0.0.1"])

    init() throws {
        receiver = try Receiver()
    }

    private func url(_ path: String = "/echo", host: String = "receiver.test") throws -> OutgoingURL {
        try OutgoingURL("https://\(host):\(receiver.port)\(path)", settings: receiver.settings())
    }

    private func send(
        _ path: String,
        host: String = "receiver.test",
        resolver: (any NameResolver)? = nil,
        _ change: (inout OutgoingSettings) -> Void = { _ in }
    ) async throws -> OutgoingAnswer {
        var settings = receiver.settings()
        change(&settings)
        let client = HTTPSClient(settings, resolver: resolver ?? loopback)
        return try await client.send(OutgoingRequest(url(path, host: host)))
    }

    private func failure(_ body: () async throws -> OutgoingAnswer) async -> OutgoingFailure? {
        do {
            let answer = try await body()
            Issue.record("\(answer)")
            return nil
        } catch {
            return error as? OutgoingFailure
        }
    }

    @Test("The receiver gets the name, the body and the headers")
    func request() async throws {
        let client = HTTPSClient(receiver.settings(), resolver: loopback)
        let request = OutgoingRequest(
            try url("/echo/../a?b=%20"),
            body: Array("{\"è\":1}".utf8),
            headers: [("Content-Type", "application/json"), ("webhook-id", "msg_1")]
        )
        let answer = try await client.send(request)
        let echo = try JSONDecoder().decode(Echo.self, from: Data(answer.body))
        #expect(answer.status == 200 && answer.isComplete)
        #expect(echo.line == "POST /echo/../a?b=%20 HTTP/1.1")
        #expect(echo.sni == "receiver.test" && echo.headers["Host"] == "receiver.test:\(receiver.port)")
        #expect(echo.headers["Content-Type"] == "application/json" && echo.headers["webhook-id"] == "msg_1")
        #expect(echo.body == "{\"è\":1}")
        #expect(
            Set(echo.headers.keys) == ["Host", "User-Agent", "Accept", "Content-Type", "webhook-id", "Content-Length"]
        )
        #expect(loopback.names == ["receiver.test"])
        #expect(!"\(answer) \(String(reflecting: answer))".contains("echo"))
        _ = receiver.stop()
    }

    @Test("A literal address needs no resolver, and a certificate for it")
    func literal() async throws {
        for host in ["127.0.0.1", "2130706433", "0x7f.1"] {
            let answer = try await send("/echo", host: host)
            let echo = try JSONDecoder().decode(Echo.self, from: Data(answer.body))
            #expect(echo.sni == nil && echo.headers["Host"] == "127.0.0.1:\(receiver.port)")
        }
        #expect(loopback.names.isEmpty)
        _ = receiver.stop()
    }

    @Test("Redirects are answers and are not followed", arguments: [301, 302, 303, 307, 308])
    func redirects(status: Int) async throws {
        #expect(try await send("/redirect/\(status)").status == status)
        #expect(receiver.stop() == ["connection", "request /redirect/\(status)"])
    }

    @Test("Names that do not lead to permitted addresses only are refused without a connection")
    func refusedNames() async throws {
        let answers = [
            ["127.0.0.2"], ["10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["8.8.8.8", "127.0.0.2"], ["::1"],
            ["::ffff:127.0.0.1"],
            ["64:ff9b::7f00:1"], ["fd00::1", "2a00:1450:4001:81b::200e"], ["169.254.169.254"], [],
        ]
        for answer in answers {
            let resolver = ScriptedResolver(answer)
            #expect(await failure { try await send("/echo", resolver: resolver) } == .noPublicAddress, "\(answer)")
        }
        #expect(
            await failure { try await send("/echo", resolver: loopback) { $0.allowedNetworks = [] } }
                == .noPublicAddress
        )
        #expect(
            await failure { try await send("/echo", host: "127.0.0.1") { $0.allowedNetworks = [] } } == .notPermitted
        )
        #expect(await failure { try await send("/echo") { $0.ports = [443] } } == .notPermitted)
        #expect(receiver.stop() == [])
    }

    @Test("A name whose address changes after the check is not resolved again")
    func changingNames() async throws {
        let private2 = try Receiver(address: "127.0.0.2", port: receiver.port)
        let resolver = ScriptedResolver(["127.0.0.1"], ["127.0.0.2"], ["127.0.0.1"])
        let client = HTTPSClient(receiver.settings(), resolver: resolver)
        let request = OutgoingRequest(try url())
        #expect(try await client.send(request).status == 200)
        #expect(resolver.names.count == 1)
        #expect(await failure { try await client.send(request) } == .noPublicAddress)
        #expect(try await client.send(request).status == 200)
        #expect(resolver.names.count == 3)
        #expect(private2.stop() == [])
        #expect(receiver.stop().filter { $0 == "connection" }.count == 2)
    }

    @Test("HTTP goes to permitted addresses only, if it is permitted at all")
    func http() async throws {
        let plain = try Receiver(scheme: .http)
        let (resolver, other) = (ScriptedResolver(["127.0.0.1"], ["127.0.0.2"]), ScriptedResolver(["10.0.0.1"]))
        var settings = plain.settings()
        settings.schemes = [.https, .http]
        let url = try OutgoingURL("http://receiver.test:\(plain.port)/echo", settings: settings)
        let client = HTTPSClient(settings, resolver: resolver)
        let answer = try await client.send(OutgoingRequest(url, headers: [("If-None-Match", "\"a\"")]))
        let echo = try JSONDecoder().decode(Echo.self, from: Data(answer.body))
        #expect(echo.sni == nil && echo.headers["If-None-Match"] == "\"a\"")
        #expect(echo.headers["Host"] == "receiver.test:\(plain.port)")
        #expect(await failure { try await client.send(OutgoingRequest(url)) } == .noPublicAddress)
        let elsewhere = HTTPSClient(settings, resolver: other)
        #expect(await failure { try await elsewhere.send(OutgoingRequest(url)) } == .noPublicAddress)
        let secure = HTTPSClient(plain.settings(), resolver: loopback)
        #expect(await failure { try await secure.send(OutgoingRequest(url)) } == .notPermitted)
        #expect(plain.stop().filter { $0 == "connection" }.count == 1)
    }

    @Test("The address is checked once more when libcurl opens a socket")
    func sockets() async throws {
        let address = try url("/echo", host: "127.0.0.1").text
        let queue = TransferQueue(name: "test", atOnce: 1)
        await #expect(throws: TransferFailure.self) {
            try await queue.run { transfer in
                transfer.set(CURLOPT_URL, address)
                transfer.restrictAddresses { socket in
                    #expect(socket == "127.0.0.1")
                    return false
                }
            }
        }
        #expect(receiver.stop() == [])
    }

    @Test("If the first address cannot be reached, the next one is used")
    func severalAddresses() async throws {
        let resolver = ScriptedResolver(["127.0.0.3", "127.0.0.1"])
        let answer = try await send("/echo", resolver: resolver) {
            $0.allowedNetworks += [IPNetwork("127.0.0.3/32")].compactMap(\.self)
        }
        #expect(answer.status == 200)
        _ = receiver.stop()
    }

    @Test("Only a valid certificate of a trusted authority for the name is accepted")
    func certificates() async throws {
        for host in ["expired.test", "wrong.test", "self-signed.test", "unknown.test"] {
            #expect(await failure { try await send("/echo", host: host) } == .notTrusted, "\(host)")
        }
        #expect(await failure { try await send("/echo") { $0.authorities = nil } } == .notTrusted)
        #expect(!receiver.stop().contains { $0.hasPrefix("request") })
    }

    @Test("At most the limit of a body is read")
    func bodies() async throws {
        for (path, count, isComplete) in [
            ("/body/0", 0, true), ("/body/65536", 65_536, true), ("/body/65537", 65_536, false),
            ("/body/10000000", 65_536, false), ("/endless-body", 65_536, false),
        ] {
            let answer = try await send(path)
            #expect(answer.status == 200 && answer.body.count == count && answer.isComplete == isComplete, "\(path)")
        }
        let packed = try await send("/compressed")
        #expect(packed.body.count < 5_000 && packed.body.starts(with: [0x1F, 0x8B]))
        _ = receiver.stop()
    }

    @Test(
        "Headers without end, nonsense and silence are failures",
        arguments: ["/endless-headers", "/endless-hints", "/nonsense", "/end"]
    )
    func nonsense(path: String) async throws {
        #expect(await failure { try await send(path) } == .noAnswer)
        _ = receiver.stop()
    }

    @Test("Slow answers end at the time limit", arguments: ["/drip", "/drip-headers", "/silence"])
    func slow(path: String) async throws {
        #expect(await failure { try await send(path) { $0.time = 700 } } == .tooSlow)
        _ = receiver.stop()
    }

    @Test("The default limits are 5 s and 64 KB, and port 443")
    func defaults() {
        let settings = OutgoingSettings()
        #expect(settings.time == 5_000 && settings.maxBody == 65_536 && settings.ports == [443])
        #expect(settings.allowedNetworks.isEmpty && settings.authorities == nil)
    }

    @Test("A server that begins no TLS, a closed port and a slow resolver are told apart")
    func unreachable() async throws {
        let silent = try LoopbackListener()
        silent.start { _ in }
        defer { silent.stop() }
        var settings = receiver.settings()
        settings.time = 500
        settings.ports = [Int(silent.port), 1]
        let client = HTTPSClient(settings, resolver: loopback)
        let quiet = try OutgoingURL("https://receiver.test:\(silent.port)/", settings: settings)
        let closed = try OutgoingURL("https://receiver.test:1/", settings: settings)
        #expect(await failure { try await client.send(OutgoingRequest(quiet)) } == .tooSlow)
        settings.time = receiver.settings().time
        let patient = HTTPSClient(settings, resolver: loopback)
        #expect(await failure { try await patient.send(OutgoingRequest(closed)) } == .notReachable)
        #expect(await failure { try await send("/echo", resolver: SlowResolver()) { $0.time = 300 } } == .tooSlow)
        _ = receiver.stop()
    }

    @Test("Writing to a connection that was closed does not end the process")
    func brokenPipe() {
        _ = HTTPSClient()
        #expect(raise(SIGPIPE) == 0)
    }

    @Test("A cancelled task does not wait for the answer")
    func cancellation() async throws {
        let task = Task { try await send("/silence") { $0.time = 600_000 } }
        try await Task.sleep(for: .milliseconds(300))
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        _ = receiver.stop()
    }

    @Test("The time to wait is read from the answer")
    func retryAfter() async throws {
        let answer = try await send("/status/503")
        #expect(answer.status == 503 && answer.retryAfter(now: 0) == 120 && answer.header("retry-AFTER") == "120")
        _ = receiver.stop()
    }
}

/// Takes longer than any test waits.
private struct SlowResolver: NameResolver {
    func addresses(of name: String) async throws -> [IPAddress] {
        try await Task.sleep(for: .seconds(3600))
        return []
    }
}
