import Domain
import Foundation
import SQL
import TestSupport
import Testing

@testable import Storage

@Suite(
    "Database check on PostGIS",
    .enabled(if: PostgresTestServer.current != nil, "TEST_DATABASE names no PostgreSQL server")
)
struct PostGISCheckTests {
    private struct TakenBack: Error {}

    /// What a statement damages, and the check that finds it.
    private static let damages = [
        ("DELETE FROM board_text WHERE id = (SELECT min(id) FROM board_text)", "words of the text indexes"),
        ("UPDATE archive_text SET words = ''", "words of the text indexes"),
        ("DELETE FROM place_word", "words of the text indexes"),
        ("UPDATE place_text SET words = 'other'", "words of the text indexes"),
        ("UPDATE board SET lon = lon + 1", "the board"),
        ("UPDATE board_count SET listings = listings + 1", "cells of the board"),
        ("UPDATE board_count SET lon_sum = lon_sum + 1", "cells of the board"),
        ("DELETE FROM board_cell WHERE cell = (SELECT min(cell) FROM board_cell)", "cells of the board"),
        ("UPDATE listing_facet SET lon = lon + 1", "facets"),
        ("DELETE FROM match_candidate", "candidates for matches"),
        ("UPDATE listing_renewal SET is_open = NOT is_open", "renewals"),
        ("UPDATE place SET lon = lon + 1", "places"),
        ("UPDATE place_source SET places = places + 1", "places"),
        ("DELETE FROM event WHERE type = 'listing.created'", "events"),
        ("ALTER TABLE listing DISABLE TRIGGER ALL", "constraints and triggers"),
        ("UPDATE schema_version SET number = 27", "schema"),
    ]

    private static func board() async throws -> TestDatabase {
        let board = try await TestDatabase()
        let drafts = try (0..<40).map { number in
            try ListingStore.Draft.at(
                Double(number),
                40,
                number % 4 == 0 ? .reunited : .lost,
                createdAt: Timestamp(milliseconds: 1_780_000_000_000 + Int64(number))
            ) { content in
                content.name = "Argo \(number)"
                content.breed = "Beagle"
            }
        }
        _ = try await board.listings.put(drafts, owner: try await board.user("s@example.org"))
        let point = try #require(Coordinate(lon: 14.8, lat: 40.8))
        let place = ImportedPlace(level: .settlement, name: "Penta", key: "penta", place: Place(coordinate: point))
        var entries = [[PlaceStore.Entry(place)]]
        _ = try await PlaceStore(board.database).put("one", .settlements) { entries.popLast() ?? [] }
        return board
    }

    @Test("A board is sound, and the check finds derived data that are not as they should be")
    func damaged() async throws {
        let board = try await Self.board()
        let findings = try await board.database.check().findings
        #expect(findings.flatMap(\.problems) == [])
        #expect(findings.count > 18)
        for (sql, what) in Self.damages {
            await #expect(throws: TakenBack.self) {
                try await board.database.write { db in
                    try db.execute(sql)
                    let findings = DatabaseCheck(postGIS: db).findings
                    let problems = findings.filter { !$0.problems.isEmpty }
                    #expect(problems.map(\.what).contains(what), "\(sql)")
                    #expect(!problems.flatMap(\.problems).contains { $0.hasPrefix("cannot be read") }, "\(problems)")
                    throw TakenBack()
                }
            }
        }
        #expect(try await board.database.check().isSound)
    }
}
