import Domain
import Foundation
import SQL
import SpatiaLite
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Import of listings")
struct ListingImporterTests {
    /// Tables whose rows an import writes, with the columns that do not depend on the time of the import.
    private static let contents = [
        "SELECT * FROM listing ORDER BY id", "SELECT type, subject FROM event WHERE type LIKE 'listing.%' ORDER BY id",
        "SELECT listing_id, is_open, warned_at, expired_from FROM listing_renewal ORDER BY 1",
        "SELECT name, zone, listing_id, lon, lat FROM listing_facet JOIN facet ON facet.id = facet_id ORDER BY 1, 2, 3",
        "SELECT * FROM board ORDER BY id", "SELECT * FROM board_cell ORDER BY 1, 2, 3",
        "SELECT * FROM board_count ORDER BY 1, 2, 3",
    ]

    private static func indexes(of engine: SQLEngine) -> [String] {
        switch engine {
        case .spatiaLite:
            [
                "SELECT * FROM idx_board_geom ORDER BY 1", "SELECT id, sz FROM board_text_docsize ORDER BY 1",
                "SELECT id, sz FROM archive_text_docsize ORDER BY 1",
            ]
        case .postGIS:
            ["board_text", "archive_text"].map { "SELECT id, CAST(words AS text) FROM \($0) ORDER BY 1" }
        }
    }

    /// Codes are random.
    private static func withoutCode(_ value: SQLValue) -> SQLValue {
        guard case .text(let text) = value else { return value }
        guard ListingCode(text) == nil else { return .text("") }
        // Features are stored in short form.
        var feature: [UInt8] = []
        Array(text.utf8).withUnsafeBufferPointer { ShortFeature.expand($0, into: &feature) }
        let whole = String(decoding: feature, as: UTF8.self)
        return .text(whole.replacing(/"code":"[^"]{7}"/, with: #""code":"""#))
    }

    private static func contents(_ board: TestDatabase) async throws -> [[[SQLValue]]] {
        try await board.database.read { db in
            try (contents + indexes(of: db.engine)).map { sql in
                try db.rows(sql) { row in (0..<row.columnCount).map { Self.withoutCode(row.value($0)) } }
            }
        }
    }

    /// Listings of each status and species, in few and in many places, some of the same millisecond.
    private static func drafts(_ count: Int) throws -> [ListingStore.Draft] {
        try (0..<count).map { number in
            let statuses = Listing.Status.allCases
            var draft = try ListingStore.Draft.at(
                number % 3 == 0 ? 14.79 : Double(number * 37 % 360) - 180,
                number % 3 == 0 ? 40.77 : Double(number * 17 % 180) - 90,
                statuses[number % statuses.count],
                createdAt: Timestamp(milliseconds: 1_780_000_000_000 + Int64(number / 4))
            ) { content in
                content.species = Species.allCases[number % Species.allCases.count]
                content[.reference] = "R\(number)"
                content.name = ["Argo", "Luna's \"best\"", nil][number % 3]
                content.description = "Dog number \(number), perché no"
                if number % 5 == 0 { (content.breed, content.breedKey) = ("Beagle", "beagle") }
            }
            if number % 2 == 0 {
                draft.location.place = "Roma"
                draft.location.provinceCode = "RM"
                draft.location.region = "Lazio"
            }
            return draft
        }
    }

    @discardableResult
    private static func run(
        _ drafts: [ListingStore.Draft],
        _ board: TestDatabase,
        _ owner: Account,
        _ progress: (Int, Int) -> Void = { _, _ in }
    ) async throws -> ListingImporter.Counts {
        let importer = try ListingImporter(board.database, owner: owner)
        try importer.add(drafts.map { ListingImporter.Row($0) })
        try await importer.writeAll(progress)
        try await importer.mergeIndexes()
        return importer.counts
    }

    @Test("An import writes the same rows as the triggers")
    func sameRows() async throws {
        let drafts = try Self.drafts(700)
        let (one, other) = (try await TestDatabase(), try await TestDatabase())
        let owners = (try await one.user("s@example.org"), try await other.user("s@example.org"))
        _ = try await one.listings.put(drafts, owner: owners.0)
        // Four listings share each millisecond, so the order within them stays.
        #expect(try await Self.run(Array(drafts[400...] + drafts[..<400]), other, owners.1).created == 700)
        let (wanted, found) = (try await Self.contents(one), try await Self.contents(other))
        let queries = Self.contents + Self.indexes(of: one.database.engine)
        for (sql, (wanted, found)) in zip(queries, zip(wanted, found)) {
            #expect(wanted == found, "\(sql)")
            #expect(!wanted.isEmpty, "\(sql)")
        }
        #expect(try await other.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("Posts that share a commit write the same rows as the triggers")
    func posts() async throws {
        let drafts = try Self.drafts(120)
        let (one, other) = (try await TestDatabase(), try await TestDatabase())
        let owners = (try await one.user("s@example.org"), try await other.user("s@example.org"))
        for draft in drafts { _ = try await one.listings.put([draft], owner: owners.0) }
        for start in stride(from: 0, to: drafts.count, by: 30) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for draft in drafts[start..<start + 30] {
                    group.addTask { _ = try await other.listings.create(draft, owner: owners.1) }
                }
                try await group.waitForAll()
            }
        }
        // The keys and events of posts of one millisecond depend on their order.
        for sql in [
            "SELECT uuid, created_at, status, \(ListingRecord.columnNames.joined(separator: ", ")) FROM listing ORDER BY 1",
            "SELECT type, subject FROM event WHERE type LIKE 'listing.%' ORDER BY 2",
            "SELECT is_open, warned_at FROM listing_renewal JOIN listing ON listing.id = listing_id ORDER BY uuid",
            "SELECT name, zone, count(*) FROM listing_facet JOIN facet ON facet.id = facet_id GROUP BY 1, 2 ORDER BY 1, 2",
            "SELECT feature, zone, lon, lat FROM board ORDER BY 1", "SELECT * FROM board_count ORDER BY 1, 2, 3",
            "SELECT cell, status, count(*) FROM board_cell GROUP BY 1, 2 ORDER BY 1, 2",
        ] {
            let read = { @Sendable (db: SQLConnection) in
                try db.rows(sql) { row in (0..<row.columnCount).map { Self.withoutCode(row.value($0)) } }
            }
            let (wanted, found) = (try await one.database.read(read), try await other.database.read(read))
            #expect(wanted == found && !wanted.isEmpty, "\(sql)")
        }
        #expect(try await other.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("Equal posts at once are one listing, and each answer has all of it")
    func equalPosts() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let draft = try ListingStore.Draft.at(14, 40)
        let answers = try await withThrowingTaskGroup(of: (Listing, Bool).self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await board.listings.createOnce(draft, owner: owner) { (try Listing($0), $1) }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.count { !$0.1 } == 1)
        let stored = try #require(try await board.listings.findListing(id: draft.id))
        #expect(answers.allSatisfy { $0.0 == stored } && stored.expiresAt != nil)
    }

    @Test(
        "An import does the work of all triggers that an insertion of a listing fires",
        .enabled(if: PostgresTestServer.current == nil, "on PostGIS, the triggers do it")
    )
    func triggers() async throws {
        let board = try await TestDatabase()
        func triggers(_ tables: String) async throws -> [String] {
            try await board.database.read { db in
                try db.values(
                    """
                    SELECT name FROM sqlite_schema
                    WHERE type = 'trigger' AND sql LIKE '% INSERT ON %' AND tbl_name IN (\(tables))
                    """
                )
            }
        }
        #expect(Set(try await triggers("'listing', 'board', 'listing_index'")) == ListingDerivation.replaced)
        let others = "'event', 'listing_renewal', 'listing_facet', 'facet', 'board_cell', 'board_count'"
        #expect(try await triggers(others) == [])
    }

    @Test("The rows have no file name that a killed import could leave behind")
    func noFileName() async throws {
        let board = try await TestDatabase()
        let importer = try ListingImporter(board.database, owner: try await board.user("s@example.org"))
        let folder = importer.rows.file.deletingLastPathComponent()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
        try importer.add(try Self.drafts(3).map { ListingImporter.Row($0) })
        try await importer.writeAll { _, _ in }
        #expect(importer.counts.created == 3 && !FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("A repeated import changes nothing but the renewal")
    func repeated() async throws {
        let drafts = try Self.drafts(60)
        let board = try await TestDatabase()
        let owner = try await board.user("s@example.org")
        try await Self.run(drafts, board, owner)
        let before = try await Self.contents(board)
        try await board.database.write { db in
            try db.execute(
                "UPDATE listing_renewal SET renewed_at = '2000-01-01T00:00:00.000Z', warned_at = '2000-02-01'"
            )
        }
        let counts = try await Self.run(drafts, board, owner)
        #expect(counts == ListingImporter.Counts(unchanged: 60))
        #expect(try await Self.contents(board) == before)
        let old: Int? = try await board.database.read { db in
            try db.value("SELECT count(*) FROM listing_renewal WHERE renewed_at < '2001' OR warned_at IS NOT NULL")
        }
        #expect(old == 0)
    }

    @Test("Rows with the id or the reference of a listing update it, and the last of several rows counts")
    func updates() async throws {
        var drafts = try Self.drafts(10)
        let board = try await TestDatabase()
        let owner = try await board.user("s@example.org")
        try await Self.run(drafts, board, owner)
        drafts[3].content.name = "Birba"
        drafts[4].id = UUID()
        drafts[4].content.name = "Trilly"
        var later = drafts[3]
        later.content.name = "Neve"
        let counts = try await Self.run(drafts + [later], board, owner)
        #expect(counts == ListingImporter.Counts(updated: 2, unchanged: 8, repeated: 1))
        let names: [String] = try await board.database.read { db in
            try db.values("SELECT name FROM listing WHERE version = 2 ORDER BY name")
        }
        #expect(names == ["Neve", "Trilly"])
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("An id of another account ends an import before anything is written")
    func foreign() async throws {
        let board = try await TestDatabase()
        let (owner, other) = (try await board.user("s@example.org"), try await board.user("o@example.org"))
        let drafts = try Self.drafts(3)
        _ = try await board.listings.put([drafts[1]], owner: other)
        let importer = try ListingImporter(board.database, owner: owner)
        try importer.add(drafts.map { ListingImporter.Row($0) })
        let error = await #expect(throws: ServiceError.self) { try await importer.writeAll { _, _ in } }
        #expect(error?.code == .conflict && error?.message.text.contains(drafts[1].id.uuidString.lowercased()) == true)
        #expect(try await board.listings.findListing(id: drafts[0].id) == nil)
    }

    @Test("An import that is interrupted continues when it is started again, and others write meanwhile")
    func interrupted() async throws {
        let drafts = try Self.drafts(3000)
        let (board, whole) = (try await TestDatabase(), try await TestDatabase())
        let owners = (try await board.user("s@example.org"), try await whole.user("s@example.org"))
        try await Self.run(drafts, whole, owners.1)
        let importing = Task {
            try await Self.run(drafts, board, owners.0) { _, _ in withUnsafeCurrentTask { $0?.cancel() } }
        }
        await #expect(throws: CancellationError.self) { _ = try await importing.value }
        let some: Int? = try await board.database.read { db in try db.value("SELECT count(*) FROM listing") }
        #expect((1..<3000).contains(some ?? 0))
        let guest = try await board.guest()
        async let rest = Self.run(drafts, board, owners.0)
        for number in 0..<20 { _ = try await board.listings.create(.at(14, 40 + Double(number) / 100), owner: guest) }
        #expect(try await rest == ListingImporter.Counts(created: 3000 - (some ?? 0), unchanged: some ?? 0))
        let uuids =
            "SELECT uuid, version, name, zone FROM listing JOIN board ON board.id >> 4 = listing.id WHERE account_id = ? ORDER BY uuid"
        func rows(_ board: TestDatabase, _ owner: Account) async throws -> [[SQLValue]] {
            try await board.database.read { db in
                try db.rows(uuids, [owner.key]) { row in (0..<row.columnCount).map(row.value) }
            }
        }
        #expect(try await rows(board, owners.0) == (try await rows(whole, owners.1)))
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("Rows without an id are recognised by their contents, and equal ones are counted")
    func withoutID() async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("s@example.org")
        func run(_ sources: [String]) async throws -> ListingImporter.Counts {
            let importer = try ListingImporter(board.database, owner: owner)
            // Each draft has a random id.
            try importer.add(try sources.map { ListingImporter.Row(try .at(14, 40), source: $0) })
            try await importer.writeAll { _, _ in }
            return importer.counts
        }
        #expect(try await run(["a", "b", "a"]) == ListingImporter.Counts(created: 3))
        #expect(try await run(["b", "a", "a", "a"]) == ListingImporter.Counts(created: 1, unchanged: 3))
    }

    @Test("Addresses of photos and records of animals are written after the listings, and once")
    func extras() async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("s@example.org")
        let drafts = try Self.drafts(3).map { draft in
            var draft = draft
            draft.content.status = draft.content[.reference] == "R2" ? .closed : .found
            return draft
        }
        let urls = ["https://example.org/a.jpg", "https://example.org/b.jpg"]
        for attempt in 1...2 {
            let importer = try ListingImporter(board.database, owner: owner)
            try importer.add(
                drafts.map { draft in
                    var row = ListingImporter.Row(draft)
                    row.extras = .init(
                        photos: urls, notes: [.kennel: "B \(draft.content[.reference] ?? "")", .intake: nil])
                    // A row that a later one replaces says nothing.
                    return row
                })
            try importer.add([ListingImporter.Row(drafts[0])])
            try await importer.writeAll { _, _ in }
            #expect(importer.counts.photos == 2 && importer.counts.repeated == 1, "\(attempt)")
        }
        let kennels: [String] = try await board.database.read { db in
            try db.values("SELECT kennel FROM animal_record ORDER BY kennel")
        }
        #expect(kennels == ["B R1", "B R2"])
        let waiting: [String] = try await board.database.read { db in
            try db.values(
                """
                SELECT reference || ' ' || url FROM remote_photo JOIN listing ON listing.id = listing_id
                WHERE import_id IS NULL AND state = 'waiting' ORDER BY position
                """)
        }
        // The photos of a closed listing are not fetched.
        #expect(waiting == ["R1 https://example.org/a.jpg", "R1 https://example.org/b.jpg"])
    }
}
