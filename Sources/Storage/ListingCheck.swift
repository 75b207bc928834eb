import Domain
import GRDB
import SpatiaLite

/// Reads single listings and tells whether they are what a query asks for. The plans only propose; this decides.
package struct ListingCheck: Sendable {
    let query: ListingQuery
    let space: ListingSpace
    private let statuses: Set<String>
    private let words: [String]
    private let breedWords: [String]

    package init(_ query: ListingQuery) {
        self.query = query
        space = ListingSpace(circle: query.circle, box: query.box)
        statuses = Set(query.statuses.map(\.rawValue))
        words = query.text?.split(separator: " ").map(String.init) ?? []
        if case .text(let text) = query.breed {
            breedWords = text.split(separator: " ").map(String.init)
        } else {
            breedWords = []
        }
    }

    /// Metres from the centre, 0 without one; nil for what the query does not ask for.
    package func distance(of row: ListingRow) throws -> Double? {
        guard let distance = space.distance(to: try row.coordinate()), isWanted(row) else { return nil }
        return distance
    }

    private func isWanted(_ row: ListingRow) -> Bool {
        guard row.string(.status).map(statuses.contains) == true, query.includesHidden || !row.flag(.hidden),
            query.owner.map({ $0 == row.owner }) ?? true,
            query.species.map({ $0.rawValue == row.string(.species) }) ?? true,
            wasSeenInTime(row.string(.lastSeenAt) ?? "")
        else { return false }
        if case .key(let key) = query.breed, row.string(.breedKey) != key { return false }
        if !breedWords.isEmpty, !Self.words(breedWords, occurIn: [row.string(.breed)]) { return false }
        if !words.isEmpty, !Self.words(words, occurIn: Self.searched.map(row.string)) { return false }
        guard !query.places.isEmpty else { return true }
        // A JSON array of folded names, so no name holds a quote.
        let names = row.string(.placeNames) ?? ""
        return query.places.contains { names.contains("\"\($0)\"") }
    }

    private func wasSeenInTime(_ time: String) -> Bool {
        (query.since.map { $0.text <= time } ?? true) && (query.until.map { time < $0.text } ?? true)
    }

    private static let searched: [ListingRow.Column] = [
        .name, .breed, .colour, .marks, .description, .place, .province,
    ]

    /// Whether each word begins one of the words of the texts; a single letter must be one.
    private static func words(_ wanted: [String], occurIn texts: [String?]) -> Bool {
        let found = texts.flatMap { $0?.folded.split(separator: " ") ?? [] }
        return wanted.allSatisfy { word in
            found.contains { word.unicodeScalars.count < 3 ? $0 == word : $0.hasPrefix(word) }
        }
    }
}
