import Credentials
import Domain
import Foundation
import Photos
import ServerSupport
import Storage
import Synchronization
import TestSupport
import Testing

/// Three services with one PostgreSQL database, one set of photos, and data folders of their own.
@Suite("Nodes", .disabled(if: TestDatabase.isFile, "TEST_DATABASE names no PostgreSQL server"))
struct NodesTests {
    /// Runs three nodes, of which the first one leads.
    private static func with(
        _ body: ([RunningService], Mailbox) async throws -> Void
    ) async throws {
        let (board, box, photos) = (try await TestDatabase(), Mailbox(), try TemporaryFolder())
        // Noon: at night, readers are not told.
        let clock = ManualClock()
        let others = try [board.otherNode(), board.otherNode()]
        try board.database.renewLeadership()
        let files = PhotoFolder(data: photos.url)
        func run(_ board: TestDatabase, _ body: (RunningService) async throws -> Void) async throws {
            try await RunningService.with(
                board: board,
                hasModel: false,
                mailer: { try box.mailer($0, now: clock.reading) },
                photoFiles: files,
                now: clock.reading,
                body
            )
        }
        try await run(others[0]) { second in
            try await run(others[1]) { third in
                try await run(board) { first in try await body([first, second, third], box) }
                // As at the end of its process.
                try board.database.close()
            }
        }
    }

    /// Creates an account and returns its token.
    private static func signedIn(_ email: String, _ node: RunningService) async throws -> String {
        let token = Token()
        let registration = AccountStore.Registration(email: email, passwordHash: "$argon2id$test", profile: Profile())
        let now = ManualClock().now
        _ = try await node.board.accounts.register(registration, upgrading: nil, tokenHash: token.digest, now: now)
        return token.text
    }

    /// Registers an account, whose owner gets a mail.
    private static func register(_ email: String, _ node: RunningService) async throws {
        let body = #"{"email": "\#(email)", "password": "correct horse", "first_name": "Anna"}"#
        #expect(try await node.send("POST", "/v1/accounts", body).status == 202)
    }

    @Test("An account that registers at one node is signed in at each, and signed out at each")
    func sessions() async throws {
        try await Self.with { nodes, _ in
            let token = try await Self.signedIn("anna@example.org", nodes[0])
            for node in nodes { #expect(try await node.send("GET", "/v1/me", token: token).status == 200) }
            #expect(try await nodes[1].send("DELETE", "/v1/sessions", token: token).status == 204)
            for node in nodes { #expect(try await node.send("GET", "/v1/me", token: token).status == 401) }
        }
    }

    @Test("The same post at three nodes at once is stored once")
    func idempotency() async throws {
        try await Self.with { nodes, _ in
            let token = try await nodes[0].guest()
            let body = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#
            let ids = try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        let key = ["Idempotency-Key": "0b5c1ea0-6f8e-4d6a-9f52-1f1a0a6bd0f1"]
                        let node = nodes[number % 3]
                        return try await node.send("POST", "/v1/listings", body, token: token, headers: key).text("id")
                    }
                }
                return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
            }
            #expect(ids.count == 1 && ids.first != .some(nil))
            #expect(try await nodes[2].openListings() == 1)
        }
    }

    @Test("The stream of each node tells the changes of all nodes, in one order")
    func stream() async throws {
        try await Self.with { nodes, _ in
            let token = try await nodes[0].guest()
            let events = try await StreamRoutesTests.follow(
                nodes[1].base + "/v1/listings/stream",
                until: { $0.count { $0.type != nil } == 6 }
            ) {
                for number in 0..<6 {
                    let body = #"{"status": "lost", "name": "N\#(number)", "lon": 14.79, "lat": 40.77}"#
                    _ = try await nodes[number % 3].post(body, token)
                }
            }
            for (number, event) in events.enumerated() { #expect("\(event.data as Any)".contains("\"N\(number)\"")) }
        }
    }

    @Test("A reader is told once of what was posted at any node")
    func alerts() async throws {
        try await Self.with { nodes, box in
            let reader = try await Self.signedIn("eva@example.org", nodes[1])
            let alert = #"{"name": "Home", "search": {"status": "lost", "lon": 14.79, "lat": 40.77, "radius": 5000}}"#
            #expect(try await nodes[2].send("POST", "/v1/me/alerts", alert, token: reader).status == 201)
            let poster = try await nodes[1].guest()
            var told: [String] = []
            for number in 0..<3 {
                let body = #"{"status": "lost", "name": "N\#(number)", "lon": 14.79, "lat": 40.77}"#
                _ = try await nodes[number].post(body, poster)
                let mail = try await box.next()
                told.append(mail.subject)
            }
            // A mail that is sent twice would come before the one of the next listing.
            #expect(told.count == 3)
            for (number, subject) in told.enumerated() { #expect(subject.contains("N\(number)")) }
        }
    }

    @Test("A file that one node receives is imported by the leader, and after a dry run by another node")
    func imports() async throws {
        try await Self.with { nodes, _ in
            let token = try await Self.signedIn("shelter@example.org", nodes[1])
            let created = try await nodes[1].upload(ImportRoutesTests.csv, token, "?dry_run=true")
            let trial = try await nodes[2].ended(created, token)
            #expect(trial["rows", "created"] == .number(2))
            let path = "/my/imports/\(try #require(trial.text("id")))"
            let answer = try await nodes[2].send(
                "POST",
                path,
                bytes: Data("action=import".utf8),
                nil,
                [
                    "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://dogs.example.org",
                    "Cookie": "__Host-doggofinder=\(token)",
                ],
                isFollowing: false
            )
            #expect(answer.status == 303)
            try await until("two listings") { try await nodes[0].openListings() == 2 }
        }
    }

    @Test("After the end of the leader, another node sends the mails")
    func succession() async throws {
        let (board, box) = (try await TestDatabase(), Mailbox())
        let other = try board.otherNode()
        try board.database.renewLeadership()
        let mailer = { try box.mailer($0) }
        try await RunningService.with(board: other, hasModel: false, mailer: mailer) { second in
            try await RunningService.with(board: board, hasModel: false, mailer: mailer) { first in
                try await Self.register("anna@example.org", first)
                #expect(try await box.next().to == "anna@example.org")
            }
            try board.database.close()
            try await Self.register("eva@example.org", second)
            #expect(try await box.next().to == "eva@example.org")
        }
    }
}
