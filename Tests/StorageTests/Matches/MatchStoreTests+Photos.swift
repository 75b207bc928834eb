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
            vector: vector
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
        let old = try await attach(vector(1), to: found, number: 2, version: "3")
        _ = try await matches.readSubjects()
        #expect(try await likeness(of: lost) == ["unsaid"])
        let store = ClassificationStore(board.database)
        let (model, version) = PhotoPrototypes.model
        #expect(try store.countUndescribed(by: model, version) == 1)
        let undescribed = try store.findUndescribed(by: model, version, after: 0, limit: 10)
        #expect(undescribed.map(\.id) == [old])
        let new = RecordedClassification(
            id: UUID(), model: model, version: version, outcome: "accepted", predictions: [], vector: vector(1))
        try await store.replace(undescribed.map { ($0, new) })
        #expect(try store.findUndescribed(by: model, version, after: 0, limit: 10).isEmpty)
        #expect(try store.findClassification(ofPhoto: old) == new)
        #expect(try await likeness(of: lost) == ["alike"])
        #expect(try await likeness(of: found) == ["alike"])
    }
}
