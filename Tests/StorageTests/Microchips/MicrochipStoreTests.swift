import Domain
import Foundation
import SQL
import TestSupport
import Testing

@testable import Storage

@Suite("Microchips in the database")
struct MicrochipStoreTests {
    private static let known = "380260000000042"

    private static func scene() async throws -> (TestDatabase, MicrochipStore, Listing) {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let draft = try ListingStore.Draft.at(14.79, 40.77) { $0[.microchip] = known }
        let listing = try await board.listings.create(draft, owner: owner)
        for number in 0..<50 {
            let other = try ListingStore.Draft.at(14.79, 40.77) {
                $0[.microchip] = String(380_260_000_001_000 + number)
            }
            _ = try await board.listings.create(other, owner: owner)
        }
        return (board, MicrochipStore(board.database), listing)
    }

    @Test(
        "A lookup runs one statement on the index and gets one row, with and without a listing",
        .enabled(if: TestDatabase.isFile, "about statements of SQLite")
    )
    func sameWork() async throws {
        let (board, _, _) = try await Self.scene()
        let numbers = [Self.known, "380260000001017", "380260000009999", "012345678", "ABCDEF0123"]
        let work = try await board.database.read { db in
            var rows: [[Bool]] = []
            let statements = try db.statements {
                rows = try numbers.map { number in
                    try db.rows(MicrochipStore.isListed, [number]) { row in try row[0] as Bool }
                }
            }
            let scan = try PreparedStatement(
                db,
                "EXPLAIN QUERY PLAN " + MicrochipStore.isListed.replacing("?", with: "'1'")
            )
            var steps: [String] = []
            while try scan.next() { steps.append(scan.row.string(3) ?? "") }
            return (statements: statements, rows: rows, steps: steps)
        }
        #expect(work.statements == Array(repeating: MicrochipStore.isListed, count: numbers.count))
        #expect(work.rows == [[true], [true], [false], [false], [false]])
        #expect(work.steps.contains { $0.contains("USING COVERING INDEX listing_microchip") }, "\(work.steps)")
        #expect(!work.steps.contains { $0.hasPrefix("SCAN listing") }, "\(work.steps)")
    }

    @Test("Closed and hidden listings are found by admins only")
    func visibility() async throws {
        let (board, store, listing) = try await Self.scene()
        let chip = try Microchip(parsing: "380 2600 0000 0042")
        #expect(try store.isListed(chip))
        #expect(try store.findListings(with: chip).map(\.id) == [listing.id])
        _ = try await board.moderation.hide(listing.id, .init(.spam, note: nil, by: .service))
        #expect(try !store.isListed(chip))
        try await board.moderation.restore(listing.id, note: nil, by: .service)
        #expect(try store.isListed(chip))
        for status in ["found", "sighted", "reunited", "closed"] {
            try await board.database.write { db in
                try db.execute("UPDATE listing SET status = ? WHERE uuid = ?", [status, listing.id])
            }
            #expect(try store.isListed(chip) == ["found", "sighted"].contains(status), "\(status)")
        }
        #expect(try store.findListings(with: chip).count == 1)
    }
}
