import Domain
import Foundation
import SQL

/// The clauses of a query, for the text indexes of open and of other listings. The function `listing_lexemes` writes what
/// these contain: words, words of the breed, stems, and the facets and cells of the listing as tags.
///
/// A row that fulfils the query contains the words, but not every row with the words fulfils the query, because
/// PostgreSQL and `ListingMatcher` fold rare letters differently.
struct TextQuery {
    private let words: String
    let tables: [String]

    /// Returns nil if the query has neither clauses nor words of a breed.
    init?(_ query: ListingQuery) {
        var parts: [String] = []
        if let text = query.breed?.text, !text.isEmpty {
            parts += SearchWord.all(text).map { Self.lexeme($0, prefix: "breed:") }
        }
        parts += query.clauses.map(Self.expression)
        guard !parts.isEmpty else { return nil }
        parts += query.facetSuffixes.map { Self.any($0.map(Self.tag)) }
        if !query.exceptClauses.isEmpty {
            parts.append("!(" + query.exceptClauses.map(Self.expression).joined(separator: " & ") + ")")
        }
        words = parts.joined(separator: " & ")
        let isOpen = query.statuses.contains { $0.isOpen }
        let isArchived = query.includesHidden || query.statuses.contains { !$0.isOpen }
        tables = (isOpen ? ["board_text"] : []) + (isArchived ? ["archive_text"] : [])
    }

    /// Returns a value of the type tsquery.
    ///
    /// - Parameter cover: if it is not nil, only listings in these cells are found.
    func expression(in cover: CellCover? = nil) -> SQLText {
        let cells = cover.map { " & " + Self.any($0.cells.map { Self.quoted("tag:cells\($0.number)") }) } ?? ""
        return "CAST(\(.text(words + cells)) AS tsquery)"
    }

    /// The condition that the listing `found.id` contains the words. The text is looked up by its key: a join could read
    /// all texts with these words.
    var condition: SQLText {
        let found = tables.map { table -> SQLText in
            "(SELECT words @@ \(expression()) FROM \(sql: table) AS text WHERE text.id = found.id)"
        }
        return "coalesce(\(found.joined(", ")), false)"
    }

    private static func expression(_ clause: SearchClause) -> String {
        let phrases = clause.words.map { "(" + $0.map(Self.expression).joined(separator: " & ") + ")" }
        return any(clause.facets.sorted().map(tag) + phrases)
    }

    /// A text has a stem as a word, or as a stem if the word is another one.
    private static func expression(_ word: SearchWord) -> String {
        let found = lexeme(word, prefix: "")
        return word.stem.map { any([found, quoted($0), quoted("stem:" + $0)]) } ?? found
    }

    private static func lexeme(_ word: SearchWord, prefix: String) -> String {
        quoted(prefix + word.text) + (word.isBeginning ? ":*" : "")
    }

    private static func tag(_ facet: String) -> String { quoted("tag:" + facet.tag) }

    private static func any(_ parts: [String]) -> String {
        // The area can be empty, for example if the circle is outside the box.
        "(" + (parts.isEmpty ? [quoted("tag:nowhere")] : parts).joined(separator: " | ") + ")"
    }

    private static func quoted(_ lexeme: String) -> String {
        "'" + lexeme.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }
}
