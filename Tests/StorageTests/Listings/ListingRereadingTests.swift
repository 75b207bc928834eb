import Domain
import Storage
import TestSupport
import Testing

@Suite("Reading of listings of earlier versions")
struct ListingRereadingTests {
    private let board: TestDatabase
    private let breeds: Breeds

    init() async throws {
        board = try await TestDatabase()
        breeds = try Bundled.breeds()
        let owner = try await board.guest()
        let texts = ["Labrador", "incrocio labrador", "Meticcio", "Labrador nero", nil]
        try await board.fill(
            (0..<250).map { index in
                var draft = try ListingStore.Draft.at(14 + Double(index) / 1000, 40) {
                    $0.breed = texts[index % texts.count]
                    $0.breedKey = $0.breed.flatMap { breeds.breed(named: $0)?.key }
                }
                draft.content.breeds = nil
                return draft
            },
            owner: owner
        )
    }

    private func count(
        _ breed: ListingQuery.Breed, _ change: (inout ListingQuery) -> Void = { _ in }
    ) async throws -> Int {
        var query = ListingQuery()
        query.breed = breed
        query.limit = 300
        change(&query)
        return try await board.search.find(query).entries.count
    }

    private func history() async throws -> [Int] {
        try await board.database.read { db in
            try [
                "SELECT count(*) FROM event", "SELECT sum(version) FROM listing",
                "SELECT count(*) FROM listing_history",
            ]
            .map { try db.value($0) ?? 0 }
        }
    }

    @Test(
        "Listings of an earlier version are found by the name of their breed, and by all their words when they are read"
    )
    func upgrade() async throws {
        let labrador = ListingQuery.Breed.key("labrador_retriever")
        #expect(try await count(labrador) == 100)
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
        let before = try await history()
        let rereading = ListingRereading(board.database, breeds)
        var steps: [Int] = []
        while case let step = try await rereading.advance(), step.seen > 0 { steps.append(step.read) }
        #expect(steps == [100, 100, 50])
        #expect(try await count(labrador) == 150)
        #expect(try await count(labrador) { $0.includesCrosses = false } == 100)
        #expect(try await count(.key("retriever")) == 150)
        #expect(try await count(.key(Breed.mixedKey)) == 100)
        #expect(try await count(.key(ListingBreeds.unsaid)) == 100)
        #expect(try await count(labrador) { $0.text = "incrocio" } == 50)
        #expect(try await history() == before, "Nobody has changed anything")
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
        #expect(try await rereading.advance().read == 0)
    }

    @Test("What was read with other tables is read again")
    func otherTables() async throws {
        let rereading = ListingRereading(board.database, breeds)
        while try await rereading.advance().seen > 0 {}
        try await board.database.write { db in
            try db.execute(
                """
                UPDATE listing SET breed_keys = '["beagle"]', breed_facets = '["beagle"]', breed_tables = 1
                WHERE breed = 'Labrador'
                """
            )
        }
        #expect(try await count(.key("beagle")) == 50)
        var read = 0
        while case let step = try await rereading.advance(by: 1_000), step.seen > 0 { read += step.read }
        #expect(read == 50)
        #expect(try await count(.key("beagle")) == 0)
    }

    @Test("Telephone numbers of listings of an earlier version get their country codes, once")
    func telephones() async throws {
        let owner = try await board.guest()
        let numbers = [("IT", "089 123456"), ("CH", "078 123 45 67"), ("IT", "12345"), (nil, "089 123456")]
        try await board.fill(
            numbers.enumerated().map { index, number in
                var draft = try ListingStore.Draft.at(15 + Double(index) / 1000, 40) {
                    $0.contactPhone = .init(value: number.1, isPublic: true)
                }
                draft.location.countryCode = number.0
                return draft
            },
            owner: owner
        )
        let e164: (any Database) throws -> [String?] = { database in
            try database.readNow { db in
                let sql = "SELECT contact_phone_e164 FROM listing WHERE contact_phone IS NOT NULL ORDER BY id"
                return try db.rows(sql) { $0.string(0) }
            }
        }
        #expect(try e164(board.database) == ["+39089123456", "+41781234567", nil, nil])
        try await board.database.write { db in
            try db.execute("UPDATE listing SET contact_phone_e164 = NULL WHERE contact_phone_public")
        }
        let rereading = ListingRereading(board.database, breeds)
        while try await rereading.advance().seen > 0 {}
        #expect(try e164(board.database) == ["+39089123456", "+41781234567", nil, nil])
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
        #expect(try await rereading.advance(by: 1_000).read == 0)
    }
}
