import Domain
import Storage
import TestSupport
import Testing

@Suite("Words on the board")
struct BoardWordTests {
    private static func board() async throws -> TestDatabase {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let texts = [
            "Labrador smarrito, COLLARE rosso", "collana e cestìno; colare, collie",
            "macchie bianche gattone chip9 gatto1",
            "collaro collarx cellare bollare follare mollare tollare sollare",
        ]
        for text in texts {
            _ = try await board.listings.create(.at(14, 40) { $0.description = text }, owner: owner)
        }
        for status in [Listing.Status.closed, .lost] {
            let listing = try await board.listings.create(
                .at(14, 40, status) { $0.description = "segreto" }, owner: owner)
            if status == .lost { try await board.hide(listing) }
        }
        return board
    }

    @Test("A word is on the board as a word, as a beginning, or by its stem")
    func isOnBoard() async throws {
        let board = try await Self.board()
        for word in ["labrador", "labra", "lab", "smarriti", "cestino", "macchia", "bianco", "chip9", "e"] {
            #expect(try board.search.isOnBoard(word: word), "\(word)")
        }
        // A longer word, beginnings of two letters, and words of closed and hidden listings.
        for word in ["labradorx", "la", "segreto", "cestini2", "ma"] {
            #expect(try !board.search.isOnBoard(word: word), "\(word)")
        }
    }

    @Test(
        "Similar words have one letter more, less or other, or two swapped",
        arguments: [
            ("labrdor", ["labrador"]), ("labradorr", ["labrador"]), ("lavrador", ["labrador"]),
            ("albrador", ["labrador"]),
            ("labradro", ["labrador"]), ("lbarador", ["labrador"]), ("abrador", ["labrador"]),
            ("cestinoo", ["cestino"]),
            ("collre", ["colare", "collare", "collie"]), ("labrdro", []), ("labrador", []),
            // Stems, words with digits or fewer than five letters, and those of closed and hidden listings.
            ("bianx", []), ("gatt", []), ("chip8", []), ("segret", []), ("rsso", ["rosso"]), ("ross0", []),
            ("però", []), ("", []),
        ]
    )
    func similar(word: String, wanted: [String]) async throws {
        #expect(try await Self.board().search.similarWords(to: word) == wanted)
    }

    @Test("Names on the board begin with a text, the most frequent first, without closed and hidden listings")
    func names() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let listings: [(name: String, status: Listing.Status, isHidden: Bool)] = [
            ("Argo", .lost, false), ("Arturo", .found, false), ("ARTURO", .lost, false), ("Ari", .lost, false),
            ("Arno", .closed, false), ("Aryadne", .lost, true), ("Luna Arancia", .sighted, false), ("Bo", .lost, false),
        ]
        for one in listings {
            let listing = try await board.listings.create(.at(14, 40, one.status) { $0.name = one.name }, owner: owner)
            if one.isHidden { try await board.hide(listing) }
        }
        #expect(
            try board.search.names(beginningWith: "ar", limit: 9) == ["arturo", "arancia", "argo", "ari"])
        #expect(try board.search.names(beginningWith: "ar", limit: 1) == ["arturo"])
        #expect(try board.search.names(beginningWith: "art", limit: 9) == ["arturo"])
        #expect(try board.search.names(beginningWith: "%", limit: 9) == [])
    }

    @Test("There are at most eight similar words, the first ones of the alphabet")
    func most() async throws {
        let board = try await Self.board()
        #expect(
            try board.search.similarWords(to: "collare")
                == ["bollare", "cellare", "colare", "collaro", "collarx", "follare", "mollare", "sollare"]
        )
    }
}
