import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Audit log")
struct AuditLogTests {
    private static func board() async throws -> TestDatabase {
        let board = try await TestDatabase()
        let account = try await board.user("anna@example.org")
        // Another admin, without an entry, because the last admin cannot become a user.
        let other = try await board.user("admin@example.org")
        try await board.database.write { db in
            try db.execute("UPDATE account SET role = 'admin' WHERE id = ?", [other.key])
        }
        for role in [Account.Role.admin, .user, .admin, .user] {
            try await board.accounts.setRole(account, role, by: .commandLine(user: "root"))
        }
        return board
    }

    private static func problems(_ board: TestDatabase) async throws -> [String] {
        try await board.database.check().findings.first { $0.what == "chain of the audit" }?.problems ?? ["no finding"]
    }

    @Test("Actions of admins are recorded in the same transaction, with ids only")
    func entries() async throws {
        let board = try await TestDatabase()
        let (admin, user) = (try await board.user("admin@example.org"), try await board.user("anna@example.org"))
        let me = Audit.Actor.account(admin.id)
        let listing = try await board.listings.create(try .at(1, 2) { $0.description = "secret" }, owner: user)
        try await board.accounts.setRole(admin, .admin, by: .commandLine(user: "root"))
        try await board.accounts.setPassword(user, hash: "$argon2id$new", keeping: nil, by: .commandLine(user: "root"))
        try await board.accounts.setPassword(user, hash: "$argon2id$own", keeping: nil)
        try await board.moderation.hide(listing.id, .init(.scam, note: "asks for money", by: me))
        try await board.moderation.restore(listing.id, note: "does not", by: me)
        try await board.moderation.ban(
            user.id,
            until: Timestamp(stored: "2100-01-01T00:00:00.000Z"),
            .init(.spam, by: me)
        )
        try await board.moderation.unban(user.id, by: me)
        _ = try await board.listings.put([try .at(1, 2)], owner: user, by: .commandLine(user: "root"))
        _ = try await board.pois.put([], source: "malta.osm", by: .commandLine(user: "root"))
        try await board.listings.remove(listing, version: nil, by: .commandLine(user: "root"))
        let entries = try AuditLog(board.database).entries(.init()).reversed().map { entry in
            [entry.actor, entry.action, entry.subject, entry.note].map { $0 ?? "-" }
        }
        let (root, by) = ("command-line:root", admin.id.uuidString.lowercased())
        let (anna, dog) = (user.id.uuidString.lowercased(), listing.id.uuidString.lowercased())
        #expect(
            entries == [
                [root, "account.role", by, "user to admin"], [root, "account.password", anna, "-"],
                [by, "listing.hide", dog, "scam: asks for money"], [by, "listing.restore", dog, "does not"],
                [by, "account.ban", anna, "until 2100-01-01T00:00:00.000Z, spam"], [by, "account.unban", anna, "-"],
                [root, "listings.import", anna, "1 created, 0 updated"],
                [root, "pois.import", "malta.osm", "0 added, 0 updated, 0 removed"],
                [root, "listing.remove", dog, "-"],
            ]
        )
        #expect(!"\(entries)".contains("@") && !"\(entries)".contains("secret"))
    }

    @Test("A failed action leaves no entry")
    func failedActions() async throws {
        let board = try await TestDatabase()
        await #expect(throws: ServiceError.self) {
            try await board.moderation.hide(UUID(), .init(by: .service))
        }
        let listing = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        try await board.hide(listing)
        await #expect(throws: ServiceError.self) { try await board.hide(listing) }
        #expect(try AuditLog(board.database).entries(.init()).count == 1)
    }

    @Test("Pages list the newest entries first and can be filtered by actor, action and subject")
    func pages() async throws {
        let board = try await Self.board()
        let log = AuditLog(board.database)
        try await board.hide(try await board.listings.create(try .at(1, 2), owner: try await board.guest()))
        var query = AuditLog.Query()
        query.limit = 2
        #expect(try log.entries(query).map(\.id) == [5, 4, 3])
        query.before = 4
        #expect(try log.entries(query).map(\.id) == [3, 2, 1])
        query = AuditLog.Query()
        query.action = .listingHide
        #expect(try log.entries(query).map(\.id) == [5])
        query.actor = "command-line:root"
        #expect(try log.entries(query).isEmpty)
        query.action = nil
        #expect(try log.entries(query).map(\.id) == [4, 3, 2, 1])
        query.since = Timestamp.now.adding(seconds: 60)
        #expect(try log.entries(query).isEmpty)
    }

    private static let foreignWrites =
        TestDatabase.isFile
        ? [
            "UPDATE OR REPLACE audit SET id = 1 WHERE id = 2", "UPDATE OR IGNORE audit SET actor = 'somebody'",
            "INSERT OR REPLACE INTO audit SELECT 2, at, actor, action, subject, 'other', previous, digest FROM audit WHERE id = 2",
            "REPLACE INTO audit SELECT * FROM audit WHERE id = 4",
        ] : ["TRUNCATE audit", "UPDATE audit SET id = 5 WHERE id = 4"]

    @Test(
        "Entries cannot be changed, even through the service's own connections",
        arguments: foreignWrites + [
            "UPDATE audit SET note = 'other'", "DELETE FROM audit", "DELETE FROM audit WHERE id = 4",
            "INSERT INTO audit SELECT id + 1, at, actor, action, subject, note, previous, digest FROM audit WHERE id = 4",
            "INSERT INTO audit SELECT id + 2, at, actor, action, subject, note, digest, digest FROM audit WHERE id = 4",
            "INSERT INTO audit (at, actor, action, previous, digest) SELECT at, actor, action, digest, digest FROM audit WHERE id = 4",
            "INSERT INTO audit SELECT * FROM audit WHERE id = 4 ON CONFLICT (id) DO UPDATE SET note = 'other'",
        ]
    )
    func appendOnly(sql: String) async throws {
        let board = try await Self.board()
        let failure = await #expect(throws: (any Error).self) {
            try await board.database.write { db in try db.run(script: sql) }
        }
        #expect("\(failure as Any)".contains("the audit is "), "\(failure as Any)")
        #expect(try await Self.problems(board) == [])
        #expect(try AuditLog(board.database).entries(.init()).count == 4)
    }

    @Test(
        "Manual changes without the triggers are detected",
        arguments: [
            ("UPDATE audit SET note = 'other' WHERE id = 2", "entry 2 was changed"),
            ("UPDATE audit SET at = '2000-01-01T00:00:00.000Z' WHERE id = 4", "entry 4 was changed"),
            ("UPDATE audit SET subject = NULL, note = subject || note WHERE id = 1", "entry 1 was changed"),
            ("DELETE FROM audit WHERE id = 1", "entry 1 is missing"),
            ("DELETE FROM audit WHERE id = 3", "entry 3 is missing"),
            ("DELETE FROM audit WHERE id > 2", "entries 3 to 4 are missing"),
            ("DELETE FROM audit", "entries 1 to 4 are missing"),
            ("UPDATE audit SET id = 9 WHERE id = 4", "entry 4 is missing"),
            (
                TestDatabase.isFile ? "DELETE FROM sqlite_sequence WHERE name = 'audit'" : "DELETE FROM audit_end",
                "the last entry is 4, but 0 were counted"
            ),
            (
                "UPDATE audit SET digest = previous WHERE id = 4; INSERT INTO audit SELECT 5, at, actor, action, subject, note, digest, digest FROM audit WHERE id = 4",
                "entry 4 was changed"
            ),
        ]
    )
    func tampering(sql: String, problem: String) async throws {
        let board = try await Self.board()
        #expect(try await Self.problems(board) == [])
        try await board.database.write { db in try Self.withoutTriggers(sql, db) }
        #expect(try await Self.problems(board).contains(problem))
        #expect(try await !board.database.check().isSound)
    }

    /// Runs SQL as an operator who has removed the triggers of the audit log, and restores them.
    private static func withoutTriggers(_ sql: String, _ db: SQLConnection) throws {
        guard db.engine == .spatiaLite else {
            return try db.run(
                script: "ALTER TABLE audit DISABLE TRIGGER USER; \(sql); ALTER TABLE audit ENABLE TRIGGER USER"
            )
        }
        let triggers: [[String]] = try db.rows(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'"
        ) { row in [try row[0], try row[1]] }
        for trigger in triggers { try db.execute("DROP TRIGGER \(trigger[0])") }
        try db.run(script: sql)
        for trigger in triggers { try db.run(script: trigger[1]) }
    }

    @Test("Entries that were removed from the end are a gap, also when new ones are written")
    func gapAtTheEnd() async throws {
        let board = try await Self.board()
        try await board.database.write { db in try Self.withoutTriggers("DELETE FROM audit WHERE id > 2", db) }
        try await board.hide(try await board.listings.create(try .at(1, 2), owner: try await board.guest()))
        #expect(try AuditLog(board.database).entries(.init()).map(\.id) == [5, 2, 1])
        #expect(try await Self.problems(board) == ["entry 3 is missing"])
    }

    @Test("Concurrent entries form a single chain")
    func concurrentEntries() async throws {
        let board = try await TestDatabase()
        let account = try await board.user("anna@example.org")
        let other = try board.openAgain()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let accounts = number % 3 == 0 ? AccountStore(other) : board.accounts
                group.addTask { try await accounts.setRole(account, .user, by: .commandLine(user: "root")) }
            }
            try await group.waitForAll()
        }
        #expect(
            try AuditLog(board.database).entries(
                {
                    var all = AuditLog.Query()
                    all.limit = 100
                    return all
                }()
            ).map(\.id) == (1...60).reversed()
        )
        #expect(try await Self.problems(board) == [])
    }
}
