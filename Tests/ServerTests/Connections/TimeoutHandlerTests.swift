import Foundation
import HTTP
import ServerSupport
import Testing

@testable import Server

@Suite("Timeouts and connection limits")
struct TimeoutHandlerTests {
    /// Limits that a test does not set are a minute, because other tests may keep the machine busy.
    private static func with(
        perAddress: Int = 256,
        maxConnections: Int = 512,
        proxies: TrustedProxies = .none,
        _ change: (inout ConnectionLimits) -> Void,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        var limits = ConnectionLimits(perAddress: perAddress)
        limits.head = .seconds(60)
        change(&limits)
        try await RunningService.with(
            hasModel: false,
            limits: RateLimits(factor: 1, proxies: proxies),
            connections: limits,
            maxConnections: maxConnections,
            body
        )
    }

    private static let impatient = ThroughputMeter.Limit(maxStall: .milliseconds(200), rate: 1e6)

    @Test("An incomplete request head is answered with 408")
    func head() async throws {
        try await Self.with {
            $0.head = .milliseconds(300)
        } _: { service in
            let answer = try await service.exchange("GET /healthz HTTP/1.1\r\nHost: a\r\nX: ")
            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("application/problem+json") && answer.lowercased().contains("connection: close"))
        }
    }

    @Test("Connections without a request or between requests are closed without an answer")
    func silence() async throws {
        try await Self.with {
            $0.head = .milliseconds(300)
        } _: { service in
            let answer = try await service.exchange("")
            #expect(answer.isEmpty)
        }
        try await Self.with {
            $0.idle = .milliseconds(300)
        } _: { service in
            let answer = try await service.exchange("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && !answer.contains("HTTP/1.1 408"))
        }
    }

    @Test(
        "A stalled body is answered with 408 on every route that reads it",
        arguments: [
            "POST /v1/listings", "PATCH /v1/me", "POST /v1/classifications", "PUT /v1/me/picture", "POST /v1/sessions",
        ]
    )
    func body(route: String) async throws {
        try await Self.with {
            $0.arrival = Self.impatient
        } _: { service in
            let token = try await service.guest()
            let answer = try await service.exchange(
                "\(route) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nContent-Length: 5000\r\n\r\n{"
            )
            #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer.prefix(300))")
        }
    }

    @Test(
        "A body whose stated length is too great is refused at once",
        arguments: ["POST /v1/listings", "PATCH /v1/me", "POST /v1/sessions", "POST /v1/classifications"]
    )
    func statedLength(route: String) async throws {
        try await Self.with {
            $0.arrival = Self.impatient
        } _: { service in
            let token = try await service.guest()
            let answer = try await service.exchange(
                "\(route) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nContent-Length: 50000000\r\n\r\n{"
            )
            #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer.prefix(300))")
        }
    }

    @Test("Stalled forms are answered with 408 in both encodings")
    func forms() async throws {
        try await Self.with {
            $0.arrival = Self.impatient
        } _: { service in
            for type in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x"] {
                let answer = try await service.exchange(
                    "POST /post HTTP/1.1\r\nHost: a\r\nSec-Fetch-Site: same-origin\r\nContent-Type: \(type)\r\n"
                        + "Content-Length: 5000\r\n\r\n--x"
                )
                #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer.prefix(300))")
            }
        }
    }

    @Test("A body that no handler reads does not keep the connection open")
    func unread() async throws {
        try await Self.with {
            $0.lingerTimeout = .milliseconds(300)
        } _: { service in
            for request in ["GET /healthz", "POST /nowhere", "DELETE /v1/me", "POST /v1/guests"] {
                let answer = try await service.exchange(
                    "\(request) HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n{"
                )
                #expect(answer.hasPrefix("HTTP/1.1 "))
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
            }
        }
    }

    @Test(
        "A malformed chunked body is answered with 400 on any route",
        arguments: ["-1\r\n{}\r\n", "0x2\r\n{}\r\n", "1\r\n{}\r\n", "2\r\n{}\r\n0\r\nContent-Length: x\r\n\r\n"]
    )
    func chunks(body: String) async throws {
        try await Self.with { _ in
        } _: { service in
            let answer = try await service.exchange(
                "POST /v1/sessions HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(body)"
            )
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(#""field":"body""#), "\(answer)")
        }
    }

    @Test("A client that does not read answers is disconnected, and its remaining requests are dropped")
    func answers() async throws {
        try await Self.with {
            $0.departure = Self.impatient
        } _: { service in
            let request = "GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n"
            let taken = try await service.ignore(String(repeating: request, count: 400))
            let whole = try await service.send("GET", "/openapi.json").body.count
            #expect(taken < 400 * whole)
        }
    }

    @Test("HTTP/1.0 gets its version, no chunks, and Connection: close unless it requests keep-alive")
    func oldVersion() async throws {
        try await Self.with { _ in
        } _: { service in
            let plain = try await service.exchange("GET /healthz HTTP/1.0\r\n\r\n")
            #expect(plain.hasPrefix("HTTP/1.0 200 ") && plain.lowercased().contains("connection: close"))
            let kept = try await service.exchange(
                "GET /healthz HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /healthz HTTP/1.0\r\n\r\n"
            )
            #expect(kept.components(separatedBy: "HTTP/1.0 200 ").count == 3)
            let export = try await service.exchange("GET /v1/listings.csv HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            #expect(!export.lowercased().contains("chunked") && export.lowercased().contains("connection: close"))
            #expect(export.contains("\r\n\r\nid,"))
            let last = try await service.exchange("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n")
            #expect(last.lowercased().contains("connection: close"))
        }
    }

    @Test("A connection over the limit is refused at once")
    func full() async throws {
        try await Self.with(maxConnections: 32) { _ in
        } _: { service in
            let answer = try await service.exchange(
                "",
                besides: 30,
                sending: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.lowercased().contains("retry-after: 2"))
            #expect(try await service.send("GET", "/healthz").status == 200)
        }
    }

    @Test("Concurrent requests of one address behind a proxy are limited")
    func crowd() async throws {
        try await Self.with(perAddress: 2, proxies: TrustedProxies(NetworkRange.loopback)) { _ in
        } _: { service in
            let head = "GET /v1/listings/stream HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 9.9.9.9\r\n"
            let answer = try await service.exchange(
                head + "Connection: close\r\n\r\n",
                besides: 2,
                sending: head + "\r\n"
            )
            #expect(answer.hasPrefix("HTTP/1.1 429 ") && answer.lowercased().contains("retry-after"))
            let other = try await service.send("GET", "/v1/breeds", headers: ["X-Forwarded-For": "8.8.8.8"])
            #expect(other.status == 200)
        }
    }

    @Test("One address has an eighth of the places of the event stream")
    func streams() async throws {
        try await Self.with(perAddress: 100, proxies: TrustedProxies(NetworkRange.loopback)) { _ in
        } _: { service in
            let head = "GET /v1/listings/stream HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 9.9.9.9\r\n"
            let refused = try await service.exchange(
                head + "Connection: close\r\n\r\n",
                besides: 256 / 8,
                sending: head + "\r\n"
            )
            #expect(refused.hasPrefix("HTTP/1.1 429 ") && refused.contains("too many watch the board"))
        }
    }

    @Test("Connections are counted for each network and released")
    func permits() throws {
        let permits = PerAddressLimit(total: 3, perAddress: 2)
        let near = try #require(NetworkAddress("2001:db8::1"))
        let neighbour = try #require(NetworkAddress("2001:db8::2"))
        let far = try #require(NetworkAddress("2001:db8:0:1::1"))
        var held = [try permits.take(near), try permits.take(neighbour)]
        #expect(throws: PerAddressLimit.Exceeded.perAddressLimitReached) { try permits.take(near) }
        held.append(try permits.take(far))
        #expect(throws: PerAddressLimit.Exceeded.full) { try permits.take(nil) }
        held.removeFirst()
        held.append(try permits.take(near))
        held = []
        #expect(permits.count == 0)
    }

    @Test("Requests with unknown tokens count against the limit of their kind")
    func unknownTokens() async throws {
        let limits = RateLimits(factor: 0.01, proxies: try TrustedProxies(parsing: "loopback"))
        try await RunningService.with(hasModel: false, limits: limits) { service in
            var statuses: [Int] = []
            for _ in 0..<5 {
                let answer = try await service.send(
                    "PATCH",
                    "/v1/me",
                    "{}",
                    token: "nonsense",
                    headers: ["X-Forwarded-For": "9.9.9.9"]
                )
                statuses.append(answer.status)
            }
            #expect(statuses == [401, 401, 401, 429, 429])
        }
    }
}

@Suite("Throughput meter")
struct ThroughputMeterTests {
    @Test("Transferred bytes extend the time limit, but not beyond its maximum")
    func balance() {
        var pace = ThroughputMeter(ThroughputMeter.Limit(maxStall: .seconds(10), rate: 100))
        pace.wait(.seconds(9))
        #expect(pace.left == .seconds(1))
        pace.move(300)
        #expect(pace.left == .seconds(4))
        pace.move(1_000_000_000_000)
        #expect(pace.left == .seconds(10))
        pace.wait(.seconds(11))
        #expect(pace.left < .zero)
    }
}
