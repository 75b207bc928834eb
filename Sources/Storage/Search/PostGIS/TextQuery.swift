import Domain
import Foundation
import SQL

/// The words of a query, for the text indexes of open and of other listings. The function `listing_lexemes` writes what
/// these contain: words, words of the breed, and the facets and cells of the listing as tags.
///
/// A row that fulfils the query contains the words, but not every row with the words fulfils the query, because
/// PostgreSQL and `ListingMatcher` fold rare letters differently.
struct TextQuery {
    private let words: String
    let tables: [String]

    /// Returns nil if the query contains no words.
    init?(_ query: ListingQuery) {
        var parts: [String] = []
        if let text = query.text, let words = Self.all(text, prefix: "") { parts.append(words) }
        if let text = query.breed?.text, let words = Self.all(text, prefix: "breed:") { parts.append(words) }
        guard !parts.isEmpty else { return nil }
        words = (parts + query.facetSuffixes.map(Self.tags)).joined(separator: " & ")
        let isOpen = query.statuses.contains { $0.isOpen }
        let isArchived = query.includesHidden || query.statuses.contains { !$0.isOpen }
        tables = (isOpen ? ["board_text"] : []) + (isArchived ? ["archive_text"] : [])
    }

    /// Returns a value of the type tsquery.
    ///
    /// - Parameter cover: if it is not nil, only listings in these cells are found.
    func expression(in cover: CellCover? = nil) -> SQLText {
        let cells = cover.map { " & " + Self.any($0.cells.map { "tag:cells\($0.number)" }) } ?? ""
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

    private static func all(_ text: String, prefix: String) -> String? {
        let words = text.split(separator: " ").map { word in
            quoted(prefix + word) + (word.unicodeScalars.count >= 3 ? ":*" : "")
        }
        return words.isEmpty ? nil : "(" + words.joined(separator: " & ") + ")"
    }

    /// Returns the expression of listings that have one of the facets.
    private static func tags(_ suffixes: [String]) -> String {
        any(suffixes.map { "tag:facet" + $0.utf8.map { String(format: "%02x", $0) }.joined() })
    }

    private static func any(_ lexemes: [String]) -> String {
        // The area can be empty, for example if the circle is outside the box.
        "(" + (lexemes.isEmpty ? ["tag:nowhere"] : lexemes).map(quoted).joined(separator: " | ") + ")"
    }

    private static func quoted(_ lexeme: String) -> String {
        "'" + lexeme.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
    }
}
