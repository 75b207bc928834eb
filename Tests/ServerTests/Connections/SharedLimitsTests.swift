import Concurrency
import Domain
import Foundation
import HTTP
import Mail
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Charges")
struct QuotaChargeTests {
    @Test("A request takes all charges or none")
    func all() async throws {
        let counters = try await TestDatabase().database.limitCounters { 1000 }
        func limit(_ name: String, _ quota: Double) -> RateLimit {
            RateLimit(name: name, quota: quota, window: 100, unit: nil)
        }
        let charges = [
            QuotaCharge(limit("large", 10), "x"), QuotaCharge(limit("large", 10), "y", amount: 0.5),
            QuotaCharge(limit("small", 2), "x"),
        ]
        for _ in 0..<2 { try await counters.take(charges) }
        for _ in 0..<20 {
            await #expect {
                try await counters.take(charges)
            } throws: { error in
                let refusal = error as? RateLimitExceededError
                return refusal?.error.retryAfter == 50 && refusal?.headers[.rateLimitPolicy] == "\"small\";q=2;w=100"
            }
        }
        // The refused requests have taken nothing.
        try await counters.take([
            QuotaCharge(limit("large", 10), "x", amount: 8), QuotaCharge(limit("large", 10), "y", amount: 9),
        ])
        await #expect(throws: RateLimitExceededError.self) {
            try await counters.take([QuotaCharge(limit("large", 10), "x", amount: 0.1)])
        }
    }
}

@Suite("Limits of several nodes on one database", .enabled(if: !TestDatabase.isFile, "needs PostgreSQL"))
struct SharedLimitsTests {
    /// A clock that does not advance, so that no delay ends before the next request.
    private static let still: @Sendable () -> Double = { 1000 }

    /// Starts a server on the board's database, over connections of its own.
    private static func withNode(
        on board: TestDatabase,
        factor: Double = 1,
        mailer: ((any Database) throws -> Mailer)? = nil,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let limits = RateLimits(factor: factor, proxies: try TrustedProxies(parsing: "loopback"), maxDelay: .zero)
        try await RunningService.with(
            board: try board.otherNode(),
            hasModel: false,
            limits: limits,
            mailer: mailer,
            monotonicClock: still,
            body
        )
    }

    private static func withNodes(
        on board: TestDatabase? = nil,
        factor: Double = 1,
        mailer: ((any Database) throws -> Mailer)? = nil,
        _ body: (RunningService, RunningService) async throws -> Void
    ) async throws {
        let board = if let board { board } else { try await TestDatabase() }
        try await withNode(on: board, factor: factor, mailer: mailer) { first in
            try await withNode(on: board, factor: factor, mailer: mailer) { second in try await body(first, second) }
        }
    }

    private static func signIn(
        _ node: RunningService,
        _ password: String = "wrong horse",
        from address: String = "9.9.9.9"
    ) async throws -> RunningService.Answer {
        let body = #"{"email": "anna@example.org", "password": "\#(password)"}"#
        return try await node.send("POST", "/v1/sessions", body, headers: ["X-Forwarded-For": address])
    }

    @Test("Wrong passwords at all nodes are delayed as at one, also after a restart")
    func passwords() async throws {
        let board = try await TestDatabase()
        try await Self.withNodes(on: board) { first, second in
            _ = try await first.register("anna@example.org")
            for node in [first, second, second, first] { #expect(try await Self.signIn(node).status == 401) }
            for node in [first, second] {
                let refused = try await Self.signIn(node, "correct horse")
                #expect(refused.status == 429 && refused.headers["retry-after"] == "1")
            }
        }
        try await Self.withNode(on: board) { node in
            let refused = try await Self.signIn(node)
            #expect(refused.status == 429)
        }
    }

    @Test("All nodes know the network of the owner")
    func knownNetwork() async throws {
        let home = "2001:db8:1:2::1"
        try await Self.withNodes { first, second in
            _ = try await first.register("anna@example.org")
            #expect(try await Self.signIn(first, "correct horse", from: home).status == 201)
            for _ in 0..<4 { #expect(try await Self.signIn(second).status == 401) }
            #expect(try await Self.signIn(first).status == 429)
            for node in [first, second] {
                #expect(try await Self.signIn(node, "correct horse", from: home).status == 201)
                #expect(try await Self.signIn(node, "correct horse").status == 429)
            }
        }
    }

    @Test("Conversations that began at one node count at the other")
    func messages() async throws {
        try await Self.withNodes(factor: 0.2) { first, second in
            let (owner, writer) = (try await first.guest(), try await first.guest())
            func begin(_ node: RunningService, _ number: Int) async throws -> RunningService.Answer {
                let id = try await first.post(#"{"status": "lost", "lon": 14.79, "lat": 40.77}"#, owner)
                let body = #"{"text": "Hello \#(number)"}"#
                return try await node.send("POST", "/v1/listings/\(id)/messages", body, token: writer)
            }
            for (number, node) in [first, second].enumerated() { #expect(try await begin(node, number).status == 201) }
            for node in [first, second] {
                let refused = try await begin(node, 3)
                #expect(refused.status == 429 && refused.headers["ratelimit-policy"] == "\"conversation\";q=2;w=3600")
            }
        }
    }

    @Test("Lookups of microchips at one node count at the other")
    func microchips() async throws {
        try await Self.withNodes { first, second in
            let account = try await first.guest()
            func look(_ node: RunningService) async throws -> RunningService.Answer {
                try await node.send("POST", "/v1/microchip-lookups", #"{"number": "380260000000042"}"#, token: account)
            }
            for node in [first, second, first, second, first, second] { #expect(try await look(node).status == 200) }
            for node in [first, second] {
                let refused = try await look(node)
                #expect(refused.status == 429 && refused.headers["ratelimit-policy"] == "\"microchip\";q=6;w=3600")
            }
        }
    }

    @Test("Mails to one address at all nodes count together")
    func mails() async throws {
        let box = Mailbox()
        try await Self.withNodes(mailer: box.mailer) { first, second in
            func ask(_ node: RunningService, _ email: String) async throws {
                let answer = try await node.send("POST", "/v1/accounts", Self.registration(email))
                #expect(answer.status == 202)
            }
            for _ in 0..<5 { for node in [first, second] { try await ask(node, "anna@example.org") } }
            try await ask(first, "bruno@example.org")
            try await ask(second, "carla@example.org")
            var recipients: [String: Int] = [:]
            for _ in 0..<7 { recipients[try await box.next().to, default: 0] += 1 }
            #expect(recipients == ["anna@example.org": 5, "bruno@example.org": 1, "carla@example.org": 1])
        }
    }

    private static func registration(_ email: String) -> String {
        #"{"email": "\#(email)", "password": "correct horse", "first_name": "Anna"}"#
    }
}
