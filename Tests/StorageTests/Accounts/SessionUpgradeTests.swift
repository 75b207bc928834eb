import Domain
import Foundation
import Migrations
import SQL
import Storage
import TestSupport
import Testing

@Suite("Sessions of an earlier schema", .enabled(if: TestDatabase.isFile, "about database files"))
struct SessionUpgradeTests {
    @Test(
        "Sessions continue as if they had begun on the day of the upgrade",
        arguments: [("guest", 365.0), ("user", 30), ("admin", 1.0 / 24)]
    )
    func continuation(role: String, idleDays: Double) async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate(Array(Migration.all.prefix(5)))
        let hashes = [Data(repeating: 1, count: 32), Data(repeating: 2, count: 32)]
        try await database.write { db in
            try db.execute(
                """
                INSERT INTO account (id, uuid, role, email, password_hash)
                VALUES (7, 'a0000000-0000-0000-0000-000000000000', ?, ?, ?)
                """,
                role == "guest" ? [role, nil, nil] : [role, "a@example.org", "$argon2id$"]
            )
            for hash in hashes {
                try db.execute("INSERT INTO session VALUES (?, 7, '2020-01-01T00:00:00.000Z')", [hash])
            }
        }
        _ = try database.migrate()
        let sessions = SessionStore(database)
        let now = Timestamp.now
        for hash in hashes {
            let caller = try #require(try sessions.findCaller(tokenHash: hash, now: now))
            #expect(caller.account.key == 7)
            let before = now.adding(seconds: idleDays * 86_400 * 0.99)
            try await sessions.touch([hash: before])
            let later = before.adding(seconds: idleDays * 86_400 * 0.99)
            #expect(try sessions.findCaller(tokenHash: hash, now: later) != nil)
        }
        let account = try #require(try sessions.findCaller(tokenHash: hashes[0], now: now)).account
        let all = try await sessions.findSessions(of: account, now: now)
        #expect(Set(all.map(\.id)).count == 2)
        #expect(all.allSatisfy { $0.createdAt.text == "2020-01-01T00:00:00.000Z" && $0.client == nil })
        #expect(try await database.check().isSound)
    }
}
