import Domain
import Foundation
import Migrations
import SQL
import Storage
import TestSupport
import Testing

@Suite("Expiry and retention")
struct RetentionStoreTests {
    private static func standing(_ board: TestDatabase) async throws -> [String: String] {
        try await board.database.read { db in
            let rows = try db.rows("SELECT name, status FROM listing") { row in
                (try row[0] as String, try row[1] as String)
            }
            return Dictionary(uniqueKeysWithValues: rows)
        }
    }

    private static func post(
        _ board: TestDatabase,
        _ name: String,
        _ status: Listing.Status,
        _ owner: Account
    ) async throws
        -> Listing
    {
        try await board.listings.create(try .at(14.79, 40.77, status) { $0.name = name }, owner: owner)
    }

    @Test("A listing expires 90 days after its owner's last change, and the owner is warned before")
    func expiry() async throws {
        let board = try await TestDatabase()
        let anna = try await board.user("anna@example.org")
        let argo = try await Self.post(board, "Argo", .lost, anna)
        _ = try await Self.post(board, "Bea", .sighted, try await board.guest())
        _ = try await Self.post(board, "Ciro", .reunited, anna)
        let retention = RetentionStore(board.database)
        let posted = Timestamp.now
        #expect(try await retention.warn(at: posted.adding(days: 75)).isEmpty)
        let warned = try await retention.warn(at: posted.adding(days: 77))
        #expect(warned.map(\.animal.name) == ["Argo", "Bea"])
        #expect(warned.map(\.expiresAt.text) == [argo.expiresAt, warned[1].expiresAt].compactMap { $0?.text })
        #expect(try await retention.warn(at: posted.adding(days: 78)).isEmpty)
        #expect(try await retention.expire(at: posted.adding(days: 89)) == 0)
        #expect(try await retention.expire(at: posted.adding(days: 91)) == 2)
        #expect(try await Self.standing(board) == ["Argo": "closed", "Bea": "closed", "Ciro": "reunited"])
        #expect(try await retention.expire(at: posted.adding(days: 400)) == 0)
        #expect(try await retention.warn(at: posted.adding(days: 400)).isEmpty)
        let ended = try #require(try await board.listings.findListing(id: argo.id))
        #expect(ended.expiredFrom == .lost && ended.content.status == .closed)
        try await board.listings.renew(ended) { _ in }
        #expect(try await Self.standing(board)["Argo"] == "lost")
        let again = try #require(try await board.listings.findListing(id: argo.id))
        #expect(again.expiredFrom == nil && again.expiresAt != nil)
        #expect(try await board.database.check().isSound)
    }

    @Test("Any change by the owner renews a listing, and no listing expires without a warning")
    func renewal() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let listing = try await Self.post(board, "Argo", .lost, owner)
        let retention = RetentionStore(board.database)
        let posted = Timestamp.now
        // The service was down for a long time: it first warns, and the listing expires a week later.
        #expect(try await retention.expire(at: posted.adding(days: 200)) == 0)
        let warned = try await retention.warn(at: posted.adding(days: 200))
        #expect(try #require(warned.first).expiresAt.text == posted.adding(days: 207).text)
        #expect(try await retention.expire(at: posted.adding(days: 206)) == 0)
        _ = try await board.listings.update(
            listing,
            content: listing.content,
            location: listing.location,
            version: nil
        )
        #expect(try await retention.expire(at: posted.adding(days: 208)) == 0)
        #expect(try await retention.warn(at: posted.adding(days: 77)).count == 1)
        #expect(try await retention.expire(at: posted.adding(days: 91)) == 1)
    }

    @Test("Many listings expire in batches")
    func batches() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        _ = try await board.listings.put(try (0..<250).map { try .at(14, 40 + Double($0) / 1000) }, owner: owner)
        let retention = RetentionStore(board.database)
        let later = Timestamp.now.adding(days: 100)
        var steps: [Int] = []
        repeat { steps.append(try await retention.warn(at: later).count) } while steps.last ?? 0 > 0
        #expect(steps == [100, 100, 50, 0])
        steps = []
        repeat { steps.append(try await retention.expire(at: later.adding(days: 8))) } while steps.last ?? 0 > 0
        #expect(steps == [100, 100, 50, 0])
        #expect(try board.search.count(ListingQuery()).count == 0)
    }

    /// An expired listing, in the version that its owner has.
    private static func ended(_ board: TestDatabase, _ owner: Account) async throws -> Listing {
        let listing = try await post(board, "Argo", .lost, owner)
        let retention = RetentionStore(board.database)
        _ = try await retention.warn(at: .now.adding(days: 77))
        #expect(try await retention.expire(at: .now.adding(days: 91)) == 1)
        return try #require(try await board.listings.findListing(id: listing.id))
    }

    @Test("A renewed listing regains its status even after an edit, unless the owner changes the status")
    func restoredStatus() async throws {
        let board = try await TestDatabase()
        let ended = try await Self.ended(board, try await board.guest())
        #expect(ended.expiresAt == nil)
        var content = ended.content
        content.name = "Bea"
        let edited = try await board.listings.update(
            ended,
            content: content,
            location: ended.location,
            version: nil
        )
        #expect(edited.expiredFrom == .lost && edited.expiresAt == nil)
        content.status = .reunited
        let told = try await board.listings.update(edited, content: content, location: ended.location, version: nil)
        #expect(told.expiredFrom == nil)
        try await board.listings.renew(told) { _ in }
        #expect(try await Self.standing(board) == ["Bea": "reunited"])
    }

    @Test("An expired listing can be renewed only within the owner's quota")
    func quota() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let ended = try await Self.ended(board, owner)
        for number in 0..<5 { _ = try await Self.post(board, "\(number)", .lost, owner) }
        let listings = ListingStore(board.database, quota: .standard)
        await #expect {
            try await listings.renew(ended) { _ in }
        } throws: { ($0 as? ServiceError)?.code == .quotaExceeded }
        #expect(try await Self.standing(board)["Argo"] == "closed")
        let other = try #require(try await board.search.find(ListingQuery()).entries.first?.listing)
        try await listings.remove(other, version: nil)
        try await listings.renew(ended) { _ in }
        #expect(try await Self.standing(board)["Argo"] == "lost")
    }

    @Test("A photo added by the owner renews a listing; a removal by a moderator does not")
    func photos() async throws {
        let board = try await TestDatabase()
        let listing = try await Self.post(board, "Argo", .lost, try await board.guest())
        let photos = PhotoStore(board.database)
        let photo = StoredPhoto(id: UUID(), width: 1, height: 1)
        let retention = RetentionStore(board.database)
        #expect(try await retention.warn(at: .now.adding(days: 77)).count == 1)
        _ = try await photos.put(photo, .listing(listing.key, number: 1))
        #expect(try await retention.warn(at: .now.adding(days: 77)).count == 1)
        _ = try await board.moderation.removePhoto(photo.id, .init(by: .service))
        #expect(try await retention.warn(at: .now.adding(days: 77)).isEmpty)
    }

    @Test("Many old events are deleted in batches, and event ids are not reused")
    func eventBatches() async throws {
        let board = try await TestDatabase()
        let now = Timestamp.now
        func add(_ count: Int, at time: Timestamp) async throws {
            try await board.database.write { db in
                try db.execute(
                    """
                    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
                    INSERT INTO event (at, type, subject) SELECT ?, 'listing.updated', i FROM n
                    """,
                    [count, time.text]
                )
            }
        }
        try await add(25_000, at: now.adding(days: -40))
        try await add(3, at: now)
        let retention = RetentionStore(board.database)
        var steps: [Int] = []
        for _ in 0..<4 { steps.append(try await retention.pruneEvents(at: now)) }
        #expect(steps == [100, 100, 0, 0])
        #expect(try EventStore(board.database).bounds() == 25_001...25_003)
        _ = try await retention.pruneEvents(at: now.adding(days: 100))
        try await add(1, at: now)
        #expect(try EventStore(board.database).bounds() == 25_004...25_004)
    }

    @Test("Old events are deleted, and those of the last month keep their order")
    func oldEvents() async throws {
        let board = try await TestDatabase()
        let now = Timestamp.now
        try await board.database.write { db in
            for day in (0..<60).reversed() {
                try db.execute(
                    "INSERT INTO event (at, type, subject) VALUES (?, 'listing.updated', ?)",
                    [now.adding(days: -day).text, "\(day)"]
                )
            }
        }
        let retention = RetentionStore(board.database)
        #expect(try await retention.pruneEvents(at: now) == 0)
        let left = try EventStore(board.database).events(after: 0, limit: 100)
        #expect(left.map(\.subject) == (0..<30).reversed().map { "\($0)" })
        #expect(try EventStore(board.database).bounds()?.lowerBound == 31)
        let later = now.adding(days: 100)
        #expect(try await retention.pruneEvents(at: later) == 0)
        #expect(try EventStore(board.database).bounds() == nil)
    }

    @Test("The period of listings from an earlier schema starts at the migration")
    func migration() async throws {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate(Array(Migration.all.prefix(6)))
        try await database.write { db in
            try db.run(
                script: """
                    INSERT INTO account (id, uuid, role) VALUES (7, 'a0000000-0000-0000-0000-000000000000', 'guest');
                    INSERT INTO listing (
                        uuid, account_id, status, species, created_at, updated_at, last_seen_at, geom, approximate)
                    VALUES ('b0000000-0000-0000-0000-000000000000', 7, 'lost', 'dog', '2020-01-01T10:00:00.000Z',
                        '2020-01-01T10:00:00.000Z', '2020-01-01T10:00:00.000Z', MakePoint(10, 45, 4326), 0);
                    """
            )
        }
        _ = try database.migrate()
        #expect(try await RetentionStore(database).warn(at: .now).isEmpty)
        #expect(try await RetentionStore(database).warn(at: .now.adding(days: 77)).count == 1)
    }
}
