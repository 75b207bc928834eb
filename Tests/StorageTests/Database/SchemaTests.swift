import Domain
import Foundation
import Migrations
import SQL
import Storage
import TestSupport
import Testing

@Suite("Schema", .enabled(if: TestDatabase.isFile, "about database files"))
struct SchemaTests {
    @Test("A repeated migration does nothing")
    func migratesOnce() throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        #expect(try database.migrate().map(\.number) == Migration.all.map(\.number))
        #expect(try database.migrate().isEmpty)
    }

    @Test("A migration in which a SpatiaLite function returns 0 fails without changes")
    func zeroFails() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        let broken = Migration(
            number: Migration.all.count + 1,
            name: "broken",
            sql: "CREATE TABLE half (id INTEGER); SELECT RecoverGeometryColumn('half', 'geom', 4326, 'POINT', 'XY');"
        )
        #expect(throws: Migrator.Failure.self) { try database.migrate(Migration.all + [broken]) }
        let tables = try await database.read { db in
            try db.value("SELECT count(*) FROM sqlite_master WHERE name = 'half'") as Int?
        }
        #expect(tables == 0)
    }

    @Test("A database that is newer than the program is rejected")
    func newerIsRefused() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        let next = Migration(number: Migration.all.count + 1, name: "next", sql: "CREATE TABLE later (id INTEGER);")
        _ = try database.migrate(Migration.all + [next])
        #expect(throws: Migrator.Failure.self) { try database.migrate() }
    }

    @Test("Processes that start at the same time migrate once")
    func concurrentMigration() async throws {
        let folder = try TemporaryFolder()
        let steps = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { try DatabaseFile(directory: folder.url).migrate().count } }
            return try await group.reduce(0, +)
        }
        #expect(steps == Migration.all.count)
    }

    @Test("Listings of the first schema are present in the second, in order of time")
    func fromFirstSchema() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate([Migration.all[0]])
        try await database.write { db in
            try db.run(
                script: """
                    INSERT INTO account (id, uuid, role) VALUES (7, 'a0000000-0000-0000-0000-000000000000', 'guest');
                    INSERT INTO breed VALUES ('beagle', 'Beagle', 'Beagle');
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
                    INSERT INTO listing (
                        id, uuid, account_id, status, species, breed_key, created_at, updated_at, last_seen_at, geom,
                        approximate, description, hidden)
                    SELECT 401 - i, printf('b0000000-0000-0000-0000-%012d', i), 7,
                        CASE i % 4 WHEN 0 THEN 'reunited' ELSE 'lost' END, CASE i % 5 WHEN 0 THEN 'cat' ELSE 'dog' END,
                        CASE WHEN i % 5 > 0 AND i % 3 = 0 THEN 'beagle' END,
                        printf('2026-01-%02dT10:00:00.%03dZ', 1 + i / 100, i / 2 % 50),
                        '2026-02-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z',
                        MakePoint(10 + i / 100.0, 45, 4326), 0, 'red collar ' || i, i % 50 = 7
                    FROM n;
                    INSERT INTO listing_place (name, listing_id) SELECT 'roma', id FROM listing WHERE id % 10 = 3;
                    """
            )
        }
        #expect(try database.migrate().map(\.number) == Array(2...Migration.all.count))
        #expect(try await database.check().isSound)
        let codes = try await database.read { db in try db.values("SELECT code FROM listing") as [String] }
        #expect(codes.count == 400 && Set(codes).count == 400 && codes.allSatisfy { ListingCode($0) != nil })
        let search = ListingSearch(database)
        let times = try await database.read { db in
            try db.values("SELECT created_at FROM listing ORDER BY id") as [String]
        }
        #expect(times.count == 400 && times == times.sorted())
        func count(_ change: (inout ListingQuery) -> Void) throws -> Int {
            var query = ListingQuery()
            change(&query)
            return try search.count(query).count
        }
        let open = (1...400).filter { $0 % 4 > 0 && $0 % 50 != 7 }
        #expect(try count { _ in } == open.count)
        #expect(try count { $0.statuses = [.reunited] } == 100)
        #expect(try count { $0.species = .cat } == open.count { $0 % 5 == 0 })
        #expect(try count { $0.breed = .key("beagle") } == open.count { $0 % 5 > 0 && $0 % 3 == 0 })
        #expect(try count { $0.text = "collar 123" } == 1)
        #expect(try count { $0.places = ["roma"] } == open.count { (401 - $0) % 10 == 3 })
        var query = ListingQuery()
        query.limit = 400
        let newest = try await search.find(query).entries.map(\.listing.createdAt.text)
        #expect(newest.count == open.count && newest == newest.sorted(by: >))
    }

    @Test(
        "The database itself rejects invalid rows",
        arguments: [
            "INSERT INTO account (uuid, role) VALUES ('short', 'guest')",
            "INSERT INTO account (uuid, role) VALUES (hex(randomblob(18)), 'king')",
            "INSERT INTO account (uuid, role) VALUES (hex(randomblob(18)), 'user')",
            "INSERT INTO account (uuid, role, email, password_hash) VALUES (hex(randomblob(18)), 'user', 'ANNA@example.org', '$argon2id$')",
            "INSERT INTO account (uuid, role, email, password_hash) VALUES (hex(randomblob(18)), 'user', 'b@example.org', 'plain')",
            "INSERT INTO session (token_hash, account_id) VALUES (zeroblob(32), 999)",
            "UPDATE listing SET account_id = 999", "UPDATE listing SET account_id = NULL",
            "UPDATE listing SET status = 'gone'", "UPDATE listing SET geom = NULL",
            "UPDATE listing SET breed_key = 'x'",
            "UPDATE listing SET geom = GeomFromText('LINESTRING(0 0, 1 1)', 4326)",
            "UPDATE listing SET created_at = 'yesterday'", "UPDATE listing SET microchip = '12'",
            "INSERT INTO ban (account_id, reason) SELECT id, 'appeal' FROM account",
            "INSERT INTO ban (account_id, reason) VALUES (999, 'scam')",
            "INSERT INTO listing_hiding (listing_id, reason) SELECT id, 'because' FROM listing",
            "UPDATE event SET subject = 'other'", "DELETE FROM breed WHERE key = 'beagle'",
        ]
    )
    func constraints(sql: String) async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("anna@example.org")
        _ = try await board.listings.create(
            try .at(1, 2) {
                $0.breed = "Beagle"
                $0.breedKey = "beagle"
            },
            owner: owner
        )
        await #expect(throws: SQLiteError.self) {
            try await board.database.write { db in try db.run(script: sql) }
        }
    }

    @Test("Deleting an account deletes its data, and every change creates an event")
    func cascade() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let listing = try await board.listings.create(
            try .at(14.79, 40.77) { $0.name = "Argo" },
            owner: owner
        )
        _ = try await board.listings.update(listing, content: listing.content, location: listing.location, version: 1)
        try await board.accounts.remove(owner)
        let counts = try await board.database.read { db in
            try [
                "listing", "listing_facet", "board", "board_cell", "board_count", "idx_board_geom", "session",
                "account",
            ].map {
                try db.value("SELECT count(*) FROM \($0)") ?? -1
            }
        }
        #expect(counts.allSatisfy { $0 == 0 })
        var query = ListingQuery()
        query.text = "argo"
        #expect(try await board.search.find(query).entries.isEmpty)
        let events = try await board.database.read { db in
            try db.values("SELECT type FROM event WHERE subject = ? ORDER BY id", [listing.id.lowercased]) as [String]
        }
        #expect(events == ["listing.created", "listing.updated", "listing.removed"])
        #expect(try await board.database.check().isSound)
    }

    @Test("An edit of an outdated version is rejected")
    func versions() async throws {
        let board = try await TestDatabase()
        let listing = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        _ = try await board.listings.update(listing, content: listing.content, location: listing.location, version: 1)
        await #expect(throws: ServiceError.self) {
            try await board.listings.update(listing, content: listing.content, location: listing.location, version: 1)
        }
        await #expect(throws: ServiceError.self) { try await board.listings.remove(listing, version: 1) }
    }

    @Test("The check finds missing rows in the spatial index and in the text index")
    func checkFindsDamage() async throws {
        let board = try await TestDatabase()
        _ = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        #expect(try await board.database.check().isSound)
        try await board.database.write { db in try db.execute("DELETE FROM idx_board_geom") }
        let problems = try await board.database.check().findings.filter { !$0.problems.isEmpty }
        #expect(problems.map(\.what) == ["spatial index of board"])
    }

    @Test("A backup of a database in use is complete and sound")
    func backup() async throws {
        let board = try await TestDatabase()
        _ = try await board.listings.create(try .at(1, 2), owner: try await board.guest())
        let target = board.folder.url.appending(path: "copy.sqlite")
        try board.file.backup(to: target) { _ in }
        let check = try await DatabaseFile.check(copy: target)
        #expect(check.isSound)
        #expect(check.counts.first { $0.table == "listing" }?.rows == 1)
    }
}
