import Domain
import Foundation
import Matching
import SQL
import Storage
import TestSupport
import Testing

@Suite("Inference from matches")
struct MatchInferenceTests {
    private func world(
        home: (lon: Double, lat: Double) = (14.793211, 40.771934),
        microchip: String? = nil
    ) async throws -> (board: TestDatabase, lost: Listing, found: Listing) {
        let board = try await TestDatabase()
        let seen = try #require(Timestamp(parsing: "2026-05-01T10:00:00Z"))
        func post(_ lon: Double, _ lat: Double, _ status: Listing.Status, _ chip: String?) async throws -> Listing {
            var draft = try ListingStore.Draft.at(lon, lat, status) {
                ($0.breed, $0.lastSeenAt) = ("Beagle", seen)
                $0[.microchip] = chip
            }
            let exact = draft.location.coordinate
            draft.location = ListingLocation(coordinate: exact.cellCentre, approximate: true)
            draft.location.exact = exact
            return try await board.listings.create(draft, owner: try await board.guest())
        }
        let lost = try await post(home.lon, home.lat, .lost, microchip)
        return (board, lost, try await post(14.81, 40.79, .found, "380260000000001"))
    }

    /// The distance of the reunion of the two listings.
    private func metres(_ world: (board: TestDatabase, lost: Listing, found: Listing)) async throws -> Double {
        let matches = MatchStore(world.board.database, try Bundled.matchReader())
        _ = try await matches.answer(.yes, for: world.lost, other: world.found)
        _ = try await matches.answer(.yes, for: world.found, other: world.lost)
        _ = try await matches.setHome(true, world.lost, other: world.found)
        return try #require(try matches.reunions(of: .dog, atLeast: 1).first).metres
    }

    @Test("The distances of reunions, which the radii of search areas follow from, do not tell points inside cells")
    func reunions() async throws {
        let first = try await metres(try await world())
        for home in [(lon: 14.7931, lat: 40.7718), (lon: 14.7945, lat: 40.7735)] {
            #expect(try await metres(try await world(home: home)) == first)
        }
        #expect(try await metres(try await world(home: (14.85, 40.7735))) != first)
    }

    @Test(
        "What matches compare of a listing does not contain its microchip",
        arguments: ["380260000000001", "0123456789"]
    )
    func subjects(microchip: String) async throws {
        var subjects: [Data] = []
        for chip in [nil, microchip] {
            let world = try await world(microchip: chip)
            let matches = MatchStore(world.board.database, try Bundled.matchReader())
            _ = try await matches.readSubjects()
            let subject = try await world.board.database.read { db in
                try db.value("SELECT subject FROM match_candidate WHERE listing_id = ?", [world.lost.key]) as Data?
            }
            subjects.append(try #require(subject))
        }
        #expect(subjects[0] == subjects[1])
    }

    @Test("An edit of a microchip reads no other listing: two listings may have one number")
    func duplicates() async throws {
        let world = try await world(microchip: "380260000000001")
        let before = try #require(try world.board.listings.findListing(id: world.found.id, Listing.init))
        var content = world.lost.content
        for number in [nil, "380260000000001", "380260000000002"] {
            content[.microchip] = number
            let current = try #require(try world.board.listings.findListing(id: world.lost.id, Listing.init))
            _ = try await world.board.listings.update(
                current,
                content: content,
                location: current.location,
                version: nil
            )
        }
        let after = try #require(try world.board.listings.findListing(id: world.found.id, Listing.init))
        #expect(before.updatedAt == after.updatedAt && before.version == after.version)
    }
}
