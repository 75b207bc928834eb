import Domain

/// A parsed search text: the name of the place and the areas that contain it.
struct SearchQuery {
    static let maxTextLength = 200
    private static let maxWords = 8

    /// The words of each piece. Commas, brackets and similar characters separate pieces.
    let pieces: [[String]]

    init(_ text: String) {
        // The length is limited before any other work, and in scalars, because one character can consist of thousands
        // of them.
        let bounded = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maxTextLength)))
        let split = bounded.split { ",;()[]\n\t|".contains($0) }
        pieces = split.prefix(Self.maxWords).map { piece in
            // Only the first part of a bilingual name such as Bolzano/Bozen is used.
            let name = piece.split(separator: "/").first ?? piece
            return Array(Self.words(String(name)).prefix(Self.maxWords))
        }
        .filter { !$0.isEmpty }
    }

    /// Splits a name into words in the same way as `geodata/layout.py`.
    static func words(_ text: String) -> [String] { text.nameWords }

    private static let rows = Language.tables("places").flatMap(\.table.rows)

    /// The words that abbreviations in names may stand for.
    static let expansions: [String: [String]] = rows.filter { $0[0] == "name" }.reduce(into: [:]) { names, row in
        let words = row[2].split(separator: "|").map(String.init)
        names[String(row[1]), default: []] += words.filter { names[String(row[1])]?.contains($0) != true }
    }

    /// Phrases that describe a place but are not part of its name, with the kind of place they denote.
    static let generic: [([String], PlaceTable.Kind?)] = rows.filter { $0[0] == "phrase" }.flatMap { row in
        row[2].split(separator: "|").map { ($0.split(separator: " ").map(String.init), kind(row[1])) }
    }

    private static func kind(_ name: Substring) -> PlaceTable.Kind? {
        PlaceTable.Kind.allCases.first { "\($0)" == name }
    }
}

/// One interpretation of a query: a name and the areas that contain the place.
struct NameQuery {
    /// All words of the piece, including numbers.
    let words: [String]
    /// The words of the name, without numbers and generic phrases.
    private(set) var name: [String]
    private(set) var areas: [String]
    /// The first number of the piece, which may be a postal code.
    let number: String?
    /// The kind of place that a generic phrase denotes.
    private(set) var kind: PlaceTable.Kind?
    /// Whether a name must begin with the words, and words of one or two letters match nothing.
    let mustBegin: Bool

    init(_ words: [String], in context: [String], mustBegin: Bool) {
        self.words = words
        self.mustBegin = mustBegin
        let numbers = words.filter(\.isNumber)
        (name, kind) = Self.withoutGeneric(words.filter { !$0.isNumber })
        number = numbers.first
        // Only numbers of five digits can be postal codes; others are house numbers.
        areas = (context + numbers).filter { !$0.isNumber || $0.utf8.count == 5 }
    }

    /// The query with a phrase such as "città di" as a part of the name: Città di Castello. Nil without such a phrase.
    var unabridged: NameQuery? {
        let all = words.filter { !$0.isNumber }
        guard all.count > name.count else { return nil }
        var result = self
        (result.name, result.kind) = (all, nil)
        return result
    }

    /// Whether the text can only be an area code such as SA.
    var isSign: Bool { mustBegin && (1..<3).contains(name.joined().utf8.count) }

    /// Returns a query with the first `count` words as the name and the others as areas.
    func split(_ count: Int) -> NameQuery {
        var result = self
        result.name = Array(name.prefix(count))
        result.areas = name.dropFirst(count) + areas
        return result
    }

    private static func withoutGeneric(_ words: [String]) -> ([String], PlaceTable.Kind?) {
        for (phrase, kind) in SearchQuery.generic where words.count > phrase.count && words.starts(with: phrase) {
            return (Array(words.dropFirst(phrase.count)), kind)
        }
        return (words, nil)
    }
}

extension String {
    /// Whether the text consists of digits only.
    var isNumber: Bool { utf8.allSatisfy { (48...57).contains($0) } }
}
