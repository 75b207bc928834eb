import Domain
import GRDB
import SpatiaLite

/// Reads single listings and tells whether they are what a query asks for. The plans only propose; this decides.
package struct ListingMatcher: Sendable {
    let query: ListingQuery
    let space: SearchArea
    private let statuses: Set<String>
    private let words: [String]
    private let breedWords: [String]

    package init(_ query: ListingQuery) {
        self.query = query
        space = SearchArea(circle: query.circle, box: query.box)
        statuses = Set(query.statuses.map(\.rawValue))
        words = query.text?.split(separator: " ").map(String.init) ?? []
        if case .text(let text) = query.breed {
            breedWords = text.split(separator: " ").map(String.init)
        } else {
            breedWords = []
        }
    }

    /// Metres from the centre, 0 without one; nil for what the query does not ask for.
    ///
    /// - Parameter found: the row's words, where other checks ask for them too.
    package func distance(of row: ListingRow, _ found: ListingWords? = nil) throws -> Double? {
        guard let distance = space.distance(to: try row.coordinate()), isWanted(row, found) else { return nil }
        return distance
    }

    private func isWanted(_ row: ListingRow, _ found: ListingWords?) -> Bool {
        guard row.string(.status).map(statuses.contains) == true, query.includesHidden || !row.flag(.hidden),
            query.owner.map({ $0 == row.owner }) ?? true,
            query.species.map({ $0.rawValue == row.string(.species) }) ?? true,
            wasSeenInTime(row.string(.lastSeenAt) ?? "")
        else { return false }
        if case .key(let key) = query.breed, row.string(.breedKey) != key { return false }
        if !breedWords.isEmpty || !words.isEmpty {
            let found = found ?? ListingWords(row)
            if !Self.words(breedWords, occurIn: found.breed) { return false }
            if !Self.words(words, occurIn: found.all) { return false }
        }
        guard !query.places.isEmpty else { return true }
        // A JSON array of folded names, so no name holds a quote.
        let names = row.string(.placeNames) ?? ""
        return query.places.contains { names.contains("\"\($0)\"") }
    }

    private func wasSeenInTime(_ time: String) -> Bool {
        (query.since.map { $0.text <= time } ?? true) && (query.until.map { time < $0.text } ?? true)
    }

    /// Whether each word begins one of the others; a single letter must be one.
    private static func words(_ wanted: [String], occurIn found: @autoclosure () -> Set<String>) -> Bool {
        wanted.allSatisfy { word in
            found().contains(word) || word.unicodeScalars.count >= 3 && found().contains { $0.hasPrefix(word) }
        }
    }
}

/// The words of a listing's texts, folded when they are first asked for: that takes a millisecond where the texts are long.
package final class ListingWords {
    private let row: ListingRow
    private(set) lazy var all = words(of: [.name, .breed, .colour, .marks, .description, .place, .province])
    private(set) lazy var breed = words(of: [.breed])

    /// - Parameter row: one that is stood on as long as words are asked for.
    package init(_ row: ListingRow) {
        self.row = row
    }

    private func words(of columns: [ListingRow.Column]) -> Set<String> {
        Set(columns.flatMap { row.string($0)?.folded.split(separator: " ").map(String.init) ?? [] })
    }
}
