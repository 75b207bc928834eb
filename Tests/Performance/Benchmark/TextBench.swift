import Domain
import Foundation
import Gazetteer
import Geodata
import SearchText
import Storage
import TestSupport

/// Folding and stems of texts, the reading of searches, and whether a listing with a long text fulfils a search for words.
struct TextBench {
    /// 4,000 characters, the greatest length of a description, of which some have accents.
    private static let text = String(
        String(
            repeating:
                "È scappato giovedì notte, spaventato dai fuochi: è un meticcio già anziano, perciò più lento del solito. ",
            count: 40
        ).prefix(4000)
    )

    init() {
        show(
            "\nMicroseconds of CPU of a text of \(Self.text.count) characters.\n\n| what | mean | p50 | p99 | most | |\n|---|---:|---:|---:|---:|---|"
        )
    }

    func texts() {
        let folded = Self.text.folded
        Timing(0..<1000, rounds: 1) { _ in blackHole(Self.text.foldedByFoundation) }.report("folded by Foundation")
        Timing(0..<1000, rounds: 1) { _ in blackHole(Self.text.folded) }.report("folded")
        Timing(0..<1000, rounds: 1) { _ in blackHole(folded.stems) }.report("all stems")
    }

    /// Searches of all kinds.
    private static let searches = [
        "cane nero", "gatto grigio", "black dog", "labrador", "labrador retriever", "jack russell", "pitbull bianca",
        "cane eboli", "cane nero zona eboli", "entro 10 km da salerno", "provincia di salerno", "collare rosso",
        "red collar", "zoppo", "cane smarrito", "beagle femmina", "argo", "cane argo", "labardor", "patore tedesco",
        "un cane nero con collare rosso", "ho perso il mio cane labrador nero con collare rosso a eboli",
        "incrocio labrador pastore tedesco", "cucciolo di setter inglese maschio taglia media", "cat", "luna",
        "gatto rosso e bianco a pelo lungo castellammare di stabia", "cagnolina timida senza coda milano",
        "san giovanni rotondo", "lost small white dog near london",
    ]

    func searches() throws {
        let gazetteer = try Gazetteer(directory: Geodata.directory)
        let reader = SearchTextReader(.shared(try Bundled.breeds()), finder: gazetteer, language: .italian)
        try Timing(Self.searches, rounds: 50) { blackHole(try reader.read($0)) }.report("a search read")
        for text in Self.searches {
            try Timing([text], rounds: 100) { blackHole(try reader.read($0)) }.report("read: \(text)")
        }
    }

    func matches() async throws {
        let board = try await TestDatabase()
        let draft = try ListingStore.Draft.at(14, 40) { $0.description = Self.text }
        _ = try await board.listings.create(draft, owner: try await board.guest())
        _ = try board.search.find(ListingQuery()) { row, _ in
            for (name, words) in [
                ("its first word", "scappato"), ("a word by its stem", "spaventati"), ("no such word", "zoppo"),
                ("no such words of frequent letters", "persa mai"),
            ] {
                var query = ListingQuery()
                query.text = words
                let matcher = ListingMatcher(query)
                try Timing(0..<1000, rounds: 1) { _ in blackHole(try matcher.distance(of: row)) }.report(
                    "searched for \(name)")
            }
        }
    }

    /// - Parameter folder: a data folder with a board.
    func words(_ folder: URL) throws {
        let search = ListingSearch(try DatabaseFile(directory: folder))
        for word in [
            "labrador", "labra", "smarriti", "zzyzx", "collre", "labrdor", "meticico", "xabrador", "incrocioo",
        ] {
            try Timing(0..<20, rounds: 1) { _ in blackHole(try search.isOnBoard(word: word)) }.report(
                "is '\(word)' on the board")
            let similar = try search.similarWords(to: word).joined(separator: " ")
            try Timing(0..<20, rounds: 1) { _ in blackHole(try search.similarWords(to: word)) }
                .report("words like '\(word)': \(similar)")
        }
    }
}

/// Keeps the compiler from leaving out what makes the value.
@inline(never)
private func blackHole<Value>(_ value: Value) {}
