import Concurrency
import Domain
import Foundation
import HTTP
import HTTPTypes
import ServerSupport
import Testing

@testable import Server

@Suite("Rate limits")
struct RateLimitMiddlewareTests {
    private static func loopback(factor: Double, maxDebtOfPages: Double = 10_000) throws -> RateLimits {
        RateLimits(
            factor: factor,
            proxies: try TrustedProxies(parsing: "loopback"),
            maxDelay: .milliseconds(10),
            maxDebtOfPages: maxDebtOfPages
        )
    }

    @Test("A bucket gives its quota at once, and then one token per interval")
    func bucket() {
        let limiter = RateLimiter(RateLimit(name: "test", quota: 10, window: 100, unit: nil))
        func wait(_ now: Double, _ caller: Int = 7) -> Double {
            if case .failure(let refusal) = limiter.take(caller, now: now) { refusal.wait } else { 0 }
        }
        for number in 0..<10 {
            #expect(limiter.balance(7, now: 1000).left == Double(10 - number))
            #expect(wait(1000) == 0)
        }
        #expect(wait(1000) == 10)
        #expect(wait(1004) == 6)
        #expect(wait(1010) == 0)
        #expect(wait(1010) == 10)
        #expect(wait(1010, 8 << 32 | 9) == 0)
        #expect(limiter.balance(7, now: 2000).left == 10)
        #expect(limiter.spend(25, 7, now: 2000).left == -15)
        #expect(wait(2000) == 160)
    }

    @Test("A hundred thousand addresses do not exhaust the limiter")
    func crowd() {
        let limiter = RateLimiter(RateLimit(name: "test", quota: 300, window: 3600, unit: nil))
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<100_000 { limiter.spend(1, Int(truncatingIfNeeded: generator.next()), now: 1) }
        #expect(limiter.balance(Int(truncatingIfNeeded: generator.next()), now: 1).left > 200)
    }

    @Test(
        "The client address is taken from the nearest proxy that is not trusted",
        arguments: [
            ("10.1.2.3", "loopback", [:], "10.1.2.3"),
            ("10.1.2.3", "loopback", ["X-Forwarded-For": "9.9.9.9"], "10.1.2.3"),
            ("127.0.0.1", "none", ["X-Forwarded-For": "9.9.9.9"], "127.0.0.1"),
            ("127.0.0.1", "loopback", ["X-Forwarded-For": "9.9.9.9"], "9.9.9.9"),
            ("::1", "loopback", ["X-Forwarded-For": "1.1.1.1, 9.9.9.9"], "9.9.9.9"),
            ("127.0.0.1", "loopback", ["X-Forwarded-For": "1.1.1.1, 9.9.9.9, 127.0.0.1"], "9.9.9.9"),
            ("127.0.0.1", "loopback,10.0.0.0/8", ["X-Forwarded-For": "1.1.1.1, 10.200.0.1"], "1.1.1.1"),
            ("::ffff:10.0.0.1", "10.0.0.0/8", ["X-Forwarded-For": "9.9.9.9:1234"], "9.9.9.9"),
            ("127.0.0.1", "loopback", ["X-Forwarded-For": "2001:db8::1"], "2001:db8::1"),
            ("127.0.0.1", "loopback", ["X-Forwarded-For": "1.1.1.1, nonsense"], "::"),
            ("127.0.0.1", "loopback", ["X-Forwarded-For": ""], "127.0.0.1"),
            ("127.0.0.1", "loopback", ["Forwarded": "for=unknown", "X-Forwarded-For": "9.9.9.9"], "9.9.9.9"),
            ("127.0.0.1", "loopback", ["Forwarded": "for=1.1.1.1", "X-Forwarded-For": "9.9.9.9"], "9.9.9.9"),
            ("2001:db8::5", "2001:db8::/64", ["X-Forwarded-For": "9.9.9.9"], "9.9.9.9"),
            ("2001:db8:0:1::5", "2001:db8::/64", ["X-Forwarded-For": "9.9.9.9"], "2001:db8:0:1::5"),
            ("8.8.8.8", "0.0.0.0/0", ["X-Forwarded-For": "9.9.9.9"], "9.9.9.9"),
        ] as [(String, String, [String: String], String)]
    )
    func proxies(peer: String, trusted: String, headers: [String: String], client: String) throws {
        var fields = HTTPFields()
        for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
        let proxies = try TrustedProxies(parsing: trusted)
        #expect(proxies.client(peer: try #require(NetworkAddress(peer)), fields) == NetworkAddress(client))
    }

    @Test(
        "Only the header that the operator named counts",
        arguments: [
            ("for=192.0.2.60;proto=http;by=203.0.113.43", "192.0.2.60"),
            (#"for=1.1.1.1, For="[2001:db8:cafe::17]:4711""#, "2001:db8:cafe::17"),
            ("for=_hidden", "::"), ("for=unknown", "::"), ("", "127.0.0.1"),
        ]
    )
    func forwarded(header: String, client: String) throws {
        let proxies = try TrustedProxies(parsing: "loopback", header: .forwarded)
        let fields: HTTPFields = [.forwarded: header, .forwardedFor: "9.9.9.9"]
        #expect(proxies.client(peer: try #require(NetworkAddress("127.0.0.1")), fields) == NetworkAddress(client))
    }

    @Test("Clients that a proxy does not identify share one limit")
    func unidentified() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.loopback(factor: 2.0 / 60)) { service in
            func ask(_ address: String) async throws -> Int {
                try await service.send("POST", "/v1/guests", headers: ["X-Forwarded-For": address]).status
            }
            for (address, status) in [("unknown", 201), ("nonsense", 201), ("unknown", 429), ("9.9.9.9", 201)] {
                let answer = try await ask(address)
                #expect(answer == status, "\(address)")
            }
        }
    }

    @Test(
        "Invalid address ranges are rejected",
        arguments: ["10.0.0.0/33", "::/129", "example.org", "10.0.0.0/x", "1/2/3"]
    )
    func ranges(_ text: String) {
        #expect(throws: ServiceError.self) { try TrustedProxies(parsing: text) }
    }

    @Test("Too many new guests get a time to retry, and other addresses are not affected")
    func signIn() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.loopback(factor: 2.0 / 60)) { service in
            func ask(_ address: String) async throws -> RunningService.Answer {
                try await service.send("POST", "/v1/guests", headers: ["X-Forwarded-For": address])
            }
            let first = try await ask("2001:db8:1:2::1")
            #expect(first.status == 201)
            #expect(first.headers["ratelimit-policy"] == "\"sign-in\";q=2;w=600")
            #expect(first.headers["ratelimit"] == "\"sign-in\";r=1;t=300")
            // This address belongs to the same network.
            #expect(try await ask("2001:db8:1:2:3:4:5:6").headers["ratelimit"]?.hasPrefix("\"sign-in\";r=0;t=") == true)
            let refused = try await ask("2001:db8:1:2::1")
            #expect(refused.status == 429 && refused.headers["content-type"] == "application/problem+json")
            let wait = try #require(refused.headers["retry-after"].flatMap { Int($0) })
            #expect((1...300).contains(wait))
            #expect(refused.headers["ratelimit"] == "\"sign-in\";r=0;t=\(wait)")
            #expect(refused.headers["ratelimit-policy"] == "\"sign-in\";q=2;w=600")
            #expect(try await ask("2001:db8:1:3::1").status == 201)
            #expect(try await ask("1.1.1.1").status == 201)
        }
    }

    private static func write(_ service: RunningService, _ address: String, _ token: String) async throws -> Int {
        try await service.send("PATCH", "/v1/me", "{}", token: token, headers: ["X-Forwarded-For": address]).status
    }

    @Test("A signed-in user has one budget at all addresses")
    func account() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.loopback(factor: 2.0 / 300)) { service in
            let token = try await service.guest()
            let other = try await service.guest()
            #expect(try await Self.write(service, "1.1.1.1", token) == 200)
            #expect(try await Self.write(service, "2.2.2.2", token) == 200)
            #expect(try await Self.write(service, "3.3.3.3", token) == 429)
            #expect(try await Self.write(service, "1.1.1.1", other) == 200)
        }
    }

    @Test("All accounts at one address share ten budgets")
    func accountsPerAddress() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.loopback(factor: 2.0 / 300)) { service in
            for _ in 0..<10 {
                let token = try await service.guest()
                for _ in 0..<2 { #expect(try await Self.write(service, "1.1.1.1", token) == 200) }
            }
            let token = try await service.guest()
            #expect(try await Self.write(service, "1.1.1.1", token) == 429)
            #expect(try await Self.write(service, "2.2.2.2", token) == 200)
        }
    }

    @Test("All guests at one address share one budget of new listings, and registered accounts have their own")
    func guestListings() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.loopback(factor: 0.1)) { service in
            func post(_ address: String, _ token: String) async throws -> RunningService.Answer {
                let body = #"{"status": "lost", "lon": 10, "lat": 45}"#
                let headers = ["X-Forwarded-For": address]
                return try await service.send("POST", "/v1/listings", body, token: token, headers: headers)
            }
            for _ in 0..<3 { #expect(try await post("1.1.1.1", service.guest()).status == 201) }
            let refused = try await post("1.1.1.1", service.guest())
            #expect(refused.status == 429 && refused.headers["ratelimit-policy"]?.contains("guest-listing") == true)
            #expect(try await post("2.2.2.2", service.guest()).status == 201)
            let user = try await service.register("anna@example.org")
            for _ in 0..<5 { #expect(try await post("1.1.1.1", user).status == 201) }
        }
    }

    /// The quota is one millisecond of work, of which a refused request may use less.
    private static func statuses(of path: String, _ limits: RateLimits) async throws -> [Int] {
        var statuses: [Int] = []
        try await RunningService.with(hasModel: false, limits: limits) { service in
            while statuses.count < 1000, statuses.last != 429 {
                let headers = ["X-Forwarded-For": "1.1.1.1"]
                statuses.append(try await service.send("GET", path, headers: headers).status)
            }
        }
        return statuses
    }

    @Test("A signed cursor exempts nobody from the limit without end")
    func signedCursor() async throws {
        let limits = try Self.loopback(factor: 1e-6, maxDebtOfPages: 0)
        let cursor = PageCursor(["-created_at", "", "9", "0"]).token
        let statuses = try await Self.statuses(of: "/v1/listings?cursor=\(cursor)", limits)
        #expect(statuses.first == 200 && statuses.last == 429)
    }

    @Test(
        "A cursor without a valid signature is refused like any read",
        arguments: [
            ("x", 400),
            (PageCursor(["-created_at", "", "9", "0"]).token.split(separator: ".")[0] + ".AAAAAAAAAAA", 200),
        ] as [(Substring, Int)]
    )
    func unsignedCursor(cursor: Substring, status: Int) async throws {
        let statuses = try await Self.statuses(of: "/v1/listings?cursor=\(cursor)", Self.loopback(factor: 1e-6))
        #expect(statuses.first == status && statuses.last == 429)
    }

    @Test("A read over budget is refused only at the first page of a list")
    func paging() async throws {
        let limits = try Self.loopback(factor: 1e-6)
        try await RunningService.with(hasModel: false, limits: limits) { service in
            let token = try await service.guest()
            for lon in 8...12 {
                _ = try await service.post("{\"status\": \"lost\", \"lon\": \(lon), \"lat\": 45}", token)
            }
            let headers = ["X-Forwarded-For": "1.1.1.1"]
            var path: String? = "/v1/listings?limit=1"
            var count = 0
            while let next = path {
                let page = try await service.send("GET", next, headers: headers)
                #expect(page.status == 200 && page.headers["ratelimit"]?.hasPrefix("\"read\";r=0;t=") == true)
                count += page.features.count
                path = nil
                if case .array(let links)? = page["links"] {
                    for case .object(let link) in links where link["rel"] == .string("next") {
                        if case .string(let href)? = link["href"] {
                            path = String(href.dropFirst("https://dogs.example.org".count))
                        }
                    }
                }
            }
            #expect(count == 5)
            for path in ["/v1/listings?limit=1", "/board", "/nowhere"] {
                let refused = try await service.send(
                    "GET",
                    path,
                    headers: headers.merging(["Accept": "text/html"]) { $1 }
                )
                #expect(refused.status == 429 && refused.headers["retry-after"] != nil, "\(path)")
            }
            for path in ["/healthz", "/readyz"] {
                #expect(try await service.send("GET", path, headers: headers).status == 200)
            }
            #expect(
                try await service.send("GET", "/v1/listings", headers: ["X-Forwarded-For": "2.2.2.2"]).status == 200
            )
        }
    }

    @Test("Requests from this machine are not limited")
    func loopback() async throws {
        try await RunningService.with(hasModel: false, limits: try Self.loopback(factor: 1e-6)) { service in
            for _ in 0..<3 {
                let answer = try await service.send("GET", "/v1/listings")
                #expect(answer.status == 200 && answer.headers["ratelimit"] == nil)
            }
        }
    }
}
