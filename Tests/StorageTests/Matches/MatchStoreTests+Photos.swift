import Domain
import Foundation
import Matching
import Storage
import TestSupport
import Testing

extension MatchStoreTests {
    /// Attaches a photo with a vector to a listing.
    private func attach(
        _ vector: [Int8]?,
        to listing: Listing,
        number: Int = 1,
        outcome: String = "accepted",
        version: String = PhotoPrototypes.model.version
    ) async throws -> UUID {
        let found = RecordedClassification(
            id: UUID(),
            model: PhotoPrototypes.model.id,
            version: version,
            outcome: outcome,
            predictions: [],
            vector: vector,
            hash: PictureHash(bits: 1)
        )
        let id = UUID()
        _ = try await PhotoStore(board.database).put(
            StoredPhoto(id: id, width: 60, height: 40),
            .listing(listing.key, number: number),
            found
        )
        return id
    }

    private func vector(_ number: Int) -> [Int8] { (0..<128).map { Int8((($0 + 1) * (number * 7 + 3)) % 61 - 30) } }

    private func likeness(of listing: Listing) async throws -> [String] {
        let current = try #require(try await board.listings.findListing(id: listing.id))
        return try matches.find(for: current, minProbability: 0, limit: 100) { row in try Listing(row).id }
            .matches.flatMap { $0.evidence.filter { $0.kind == .likeness }.map(\.level) }
    }

    @Test("Photos that look alike lead, whether texts were read before or not", arguments: [true, false])
    func photos(isRead: Bool) async throws {
        let lost = try await post(.lost)
        let other = try await post(.found, metres: 200)
        let same = try await post(.found, metres: 300)
        _ = try await attach(vector(1), to: lost)
        let photo = try await attach(vector(1), to: same)
        _ = try await attach(vector(1).map { -$0 }, to: other)
        if isRead { #expect(try await matches.readSubjects() == 3) }
        #expect(try await likeness(of: lost) == ["alike", "different"])
        #expect(try await likeness(of: same) == ["alike"])
        _ = try await PhotoStore(board.database).remove(.listing(same.key, number: 1))
        #expect(try await likeness(of: lost) == ["unsaid", "different"])
        let store = ClassificationStore(board.database)
        #expect(try store.findClassification(ofPhoto: photo) == nil)
    }

    @Test("Vectors of other models, and of photos without a dog, are not compared; described photos are")
    func describing() async throws {
        let (lost, found) = (try await post(.lost), try await post(.found))
        _ = try await attach(vector(1), to: lost)
        _ = try await attach(vector(1), to: found, outcome: "not_the_subject")
        let old = try await attach(vector(1), to: found, number: 2, version: "4")
        _ = try await matches.readSubjects()
        #expect(try await likeness(of: lost) == ["unsaid"])
        let store = ClassificationStore(board.database)
        let (model, version) = PhotoPrototypes.model
        #expect(try store.countUndescribed(by: model, version) == 1)
        let undescribed = try store.findUndescribed(by: model, version, after: 0, limit: 10)
        #expect(undescribed.map(\.id) == [old])
        let new = RecordedClassification(
            id: UUID(), model: model, version: version, outcome: "accepted", predictions: [], vector: vector(1),
            hash: PictureHash(bits: 1))
        try await store.replace(undescribed.map { ($0, new) })
        #expect(try store.findUndescribed(by: model, version, after: 0, limit: 10).isEmpty)
        #expect(try store.findClassification(ofPhoto: old) == new)
        #expect(try await likeness(of: lost) == ["alike"])
        #expect(try await likeness(of: found) == ["alike"])
    }

    @Test(
        "What is compared of photos leaves with the photo, the subject and the listing, and is made again where it is missing"
    )
    func storedPhotos() async throws {
        let lost = try await post(.lost)
        let found = try await post(.found)
        for listing in [lost, found] { _ = try await attach(vector(1), to: listing) }
        func stored() async throws -> [Int64] {
            try await board.database.read { db in try db.values("SELECT listing_id FROM match_photo ORDER BY 1") }
        }
        func execute(_ sql: String) async throws {
            try await board.database.write { db in try db.execute(sql) }
        }
        _ = try await matches.readSubjects()
        #expect(try await stored() == [lost.key, found.key].sorted())
        try await execute("UPDATE match_photo SET traits = substr(traits, 2)")
        #expect(try await likeness(of: lost) == ["alike"])
        try await execute("DELETE FROM match_photo")
        #expect(try await likeness(of: lost) == ["alike"])
        try await execute("UPDATE match_candidate SET subject = NULL")
        _ = try await matches.readSubjects()
        #expect(try await stored().count == 2)
        _ = try await PhotoStore(board.database).remove(.listing(lost.key, number: 1))
        #expect(try await stored() == [found.key])
        let current = try #require(try await board.listings.findListing(id: found.id))
        var content = current.content
        content.status = .closed
        _ = try await board.listings.update(
            current, content: content, location: current.location, version: current.version)
        #expect(try await stored().isEmpty)
    }

    @Test("A search by photo finds the cross that looks alike before nearer dogs, on both sides and page by page")
    func searchByPhoto() async throws {
        let cross = try await post(.sighted, metres: 4_000) { $0.breed = "Meticcio" }
        let beagle = try await post(.found, metres: 1_500)
        let other = try await post(.found, metres: 200) { $0.breed = "Saluki" }
        let different = try await post(.found, metres: 1_600)
        let lost = try await post(.lost, metres: 6_000) { $0.breed = nil }
        _ = try await post(.found, metres: 100) { $0.species = .cat }
        _ = try await attach(vector(1), to: cross)
        _ = try await attach(vector(1), to: lost)
        _ = try await attach(vector(1).map { -$0 }, to: other)
        _ = try await attach(vector(1).map { -$0 }, to: different)
        _ = try await post(.reunited)
        let photo = PhotoRanking(
            [("beagle", 0.9), ("maltese", 0.05)], labels: 74, vector: vector(1), try Bundled.matchReader())
        func found(_ change: (inout ListingQuery) -> Void) throws -> [UUID] {
            var (query, ids) = (ListingQuery(), [UUID]())
            query.photo = photo
            query.circle = .init(centre: try #require(Coordinate(lon: 14.79, lat: 40.77)), radius: nil)
            query.order = .distance
            change(&query)
            repeat {
                query.cursor = try ListingSearch(board.database).find(query) { row, match in
                    ids.append(try Listing(row).id)
                    #expect(match.photo?.evidence.isEmpty == false && match.distance != nil)
                }
            } while query.cursor != nil
            return ids
        }
        // Without the dog of another breed.
        for limit in [1, 2, 20] {
            #expect(
                try found { ($0.limit, $0.statuses) = (limit, [.found, .sighted]) } == [
                    cross.id, beagle.id, different.id,
                ])
            #expect(try Set(found { $0.limit = limit }) == [cross.id, lost.id, beagle.id, different.id])
        }
        #expect(try found { $0.statuses = [.lost] } == [lost.id])
        #expect(try found { $0.statuses = [.sighted] } == [cross.id])
        #expect(try found { $0.owner = owner.key } == [lost.id])
        #expect(try found { $0.code = beagle.code } == [beagle.id])
    }

    @Test("A draft is compared by photos that are not stored yet")
    func drafts() async throws {
        let (same, other) = (try await post(.lost) { $0.breed = nil }, try await post(.lost) { $0.breed = nil })
        _ = try await attach(vector(1), to: same)
        _ = try await attach(vector(1).map { -$0 }, to: other)
        let draft = try ListingStore.Draft.at(14.79, 40.77, .sighted) { $0.locationPrecision = .exact }
        let (model, version) = PhotoPrototypes.model
        func levels(_ outcome: String) throws -> [UUID: String] {
            let photo = RecordedClassification(
                id: UUID(), model: model, version: version, outcome: outcome, predictions: [], vector: vector(1),
                hash: PictureHash(bits: 1))
            let found = try matches.findLost(like: draft, photos: [photo], by: finder, minProbability: 0, limit: 9) {
                row in
                try Listing(row).id
            }
            if outcome == "accepted" { #expect(found.first?.value == same.id) }
            return Dictionary(
                uniqueKeysWithValues: found.map { match in
                    (match.value, match.evidence.first { $0.kind == .likeness }?.level ?? "")
                })
        }
        #expect(try levels("accepted") == [same.id: "alike", other.id: "different"])
        #expect(try levels("not_the_subject") == [same.id: "unsaid", other.id: "unsaid"])
    }
}
