import Domain
import Foundation
import Matching
import SQL
import TestSupport
import Testing

@testable import Storage

@Suite("Copies of photos")
struct PhotoCopiesTests {
    private let board: TestDatabase
    private let copies: PhotoCopies
    private let reports: ReportStore
    private let anna: Account
    private let bruno: Account

    init() async throws {
        board = try await TestDatabase()
        copies = PhotoCopies(board.database)
        reports = ReportStore(board.database)
        anna = try await board.user("anna@example.org")
        bruno = try await board.user("bruno@example.org")
    }

    private func post(by account: Account, _ status: Listing.Status = .lost) async throws -> Listing {
        try await board.listings.create(.at(14.79, 40.77, status), owner: account)
    }

    /// Stores a photo of which the vector and the hash are known, in place of the number.
    private func attach(
        _ hash: UInt64?,
        to listing: Listing,
        number: Int = 1,
        vector: Int8 = 20
    ) async throws -> UUID {
        let vector = (0..<128).map { $0.isMultiple(of: 2) ? vector : 20 }
        let found = RecordedClassification(
            id: UUID(), model: "dogs", version: "1", outcome: "accepted", predictions: [], vector: vector,
            hash: hash.map(PictureHash.init(bits:)))
        let photo = StoredPhoto(id: UUID(), width: 60, height: 40)
        _ = try await PhotoStore(board.database).put(photo, .listing(listing.key, number: number), found)
        return photo.id
    }

    private static let hash: UInt64 = 0x1234_5678_9ABC_DEF0

    @Test("An owner is told of a copy in another open listing, else of one in the same listing")
    func own() async throws {
        let (first, second) = (try await post(by: anna), try await post(by: anna))
        _ = try await attach(Self.hash, to: first, number: 3)
        #expect(try await copies.findOwn(ofListing: first.key).isEmpty)
        _ = try await attach(Self.hash, to: second, number: 1)
        _ = try await attach(Self.hash ^ 7, to: second, number: 2)
        // Another picture, by its vector.
        _ = try await attach(Self.hash, to: second, number: 4, vector: -20)
        let found = try await copies.findOwn(ofListing: second.key)
        #expect(found.map(\.number) == [1, 2] && found.allSatisfy { $0.listing == first.id && $0.otherNumber == 3 })
        #expect(try await copies.findOwn(ofListing: first.key).map(\.listing) == [second.id])
        // An ended listing does not disturb anybody.
        let current = try #require(try await board.listings.findListing(id: first.id))
        var content = current.content
        content.status = .closed
        _ = try await board.listings.update(current, content: content, location: current.location, version: nil)
        let rest = try await copies.findOwn(ofListing: second.key)
        #expect(rest.map(\.number) == [2] && rest.map(\.listing) == [second.id] && rest.map(\.otherNumber) == [1])
        // Others' listings are for moderators.
        let others = try await post(by: bruno)
        _ = try await attach(Self.hash, to: others)
        #expect(try await copies.findOwn(ofListing: others.key).isEmpty)
    }

    @Test(
        "Moderators are told of a copy in a listing of another account, whatever its status",
        arguments: [0, 0b1111111, 0x8001_8001_8001_0001, 1 << 63]
    )
    func others(difference: UInt64) async throws {
        let original = try await post(by: anna, .reunited)
        _ = try await attach(Self.hash, to: original)
        let copied = try await post(by: bruno)
        let mirror = PictureHash(bits: Self.hash ^ difference).mirrored.bits
        for (number, bits) in [Self.hash ^ difference, mirror].enumerated() {
            let photo = try await attach(bits, to: copied, number: number + 1)
            try await reports.fileCopies(of: [photo])
            let found = try #require(try reports.cases(.init()).cases.last)
            #expect(found.subject == .photo && found.subjectID == photo && found.account == bruno.id)
            #expect(found.photoCopies == [original.id] && found.listing == copied.id && found.reports == 1)
            #expect(found.reasons.map(\.reason) == [.other] && found.registered == 0)
            #expect(try reports.findCase(id: found.id)?.photoCopies == [original.id])
        }
        #expect(try await board.database.check().isSound)
    }

    @Test("A photo has one case, also after a moderator has decided, and another picture has none")
    func once() async throws {
        _ = try await attach(Self.hash, to: try await post(by: anna))
        let listing = try await post(by: bruno)
        let photo = try await attach(Self.hash, to: listing)
        let different = try await attach(Self.hash, to: listing, number: 2, vector: -20)
        let far = try await attach(~Self.hash >> 1 ^ 0x5555_5555, to: listing, number: 3, vector: 10)
        let without = try await attach(nil, to: listing, number: 4)
        for _ in 0..<2 {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 { group.addTask { try await reports.fileCopies(of: [photo, different, far, without]) } }
                try await group.waitForAll()
            }
        }
        try await reports.fileCopies(of: [UUID()])
        let cases = try reports.cases(.init()).cases
        #expect(cases.map(\.subjectID) == [photo] && cases.first?.reports == 1)
        let moderator = Audit.Actor.service
        try await ModerationStore(board.database).decide(
            try #require(cases.first).id, .dismissed, note: nil, by: moderator)
        try await reports.fileCopies(of: [photo])
        #expect(try reports.cases(.init()).cases.isEmpty)
    }

    @Test("A user's report about a photo shows the copies too")
    func reported() async throws {
        let original = try await post(by: anna)
        _ = try await attach(Self.hash, to: original)
        let photo = try await attach(Self.hash, to: try await post(by: bruno))
        try await reports.file(.init(subject: .photo, id: photo, reason: .scam, text: nil), by: anna)
        try await reports.fileCopies(of: [photo])
        let cases = try reports.cases(.init()).cases
        #expect(cases.map(\.photoCopies) == [[original.id]] && cases.first?.reports == 1)
    }

    @Test(
        "Each quarter of a hash is looked up in its index, without reading rows",
        .enabled(if: TestDatabase.isFile, "about statements of SQLite")
    )
    func plan() async throws {
        for (number, quarter) in zip(1..., PhotoCopies.quarters) {
            let sql = "EXPLAIN QUERY PLAN " + PhotoCopies.entries(of: quarter, count: 17).replacing("?", with: "1")
            let steps = try await board.database.read { db in
                let plan = try PreparedStatement(db, sql)
                var steps: [String] = []
                while try plan.next() { steps.append(plan.row.string(3) ?? "") }
                return steps
            }
            let index = "SEARCH classification USING COVERING INDEX classification_hash_\(number) "
            #expect(steps.count == 1 && steps.allSatisfy { $0.hasPrefix(index) }, "\(steps)")
        }
    }
}
