import Domain

/// What a query asks for: the name sought, and the areas it is said to lie in.
struct SearchQuery {
    static let maxTextLength = 200
    private static let maxWords = 8

    /// The comma-separated pieces, brackets counting as commas, each as words.
    let pieces: [[String]]

    init(_ text: String) {
        // The length is bounded before any work on the text, and in scalars, as one character may hold thousands.
        let bounded = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.maxTextLength)))
        let split = bounded.split { ",;()[]\n\t|".contains($0) }
        pieces = split.prefix(Self.maxWords).map { piece in
            // Of a name in two languages, Bolzano/Bozen, the first one is enough.
            let name = piece.split(separator: "/").first ?? piece
            return Array(Self.words(String(name)).prefix(Self.maxWords))
        }
        .filter { !$0.isEmpty }
    }

    /// The words of a name as `geodata/layout.py` makes them.
    static func words(_ text: String) -> [String] { text.nameWords }

    /// What an Italian or German abbreviation of a name's first words may stand for.
    static let expansions: [String: [String]] = [
        "s": ["san", "santo", "santa", "sant"],
        "ss": ["santi", "santissimo", "santissima"],
        "st": ["sankt", "saint", "san", "santo"],
        "sta": ["santa"],
        "sto": ["santo"],
        "ste": ["sainte"],
    ]

    /// Said of a place rather than part of its name, and the kind of place it says.
    static let generic: [([String], PlaceTable.Kind?)] = [
        (["comune", "di"], .comune), (["citta", "di"], nil), (["provincia", "di"], .province),
        (["province", "of"], .province), (["regione"], .region), (["frazione", "di"], .locality),
        (["frazione"], .locality),
        (["fraz"], .locality), (["localita"], .locality), (["loc"], .locality), (["city", "of"], nil),
        (["town", "of"], nil),
    ]
}

/// One reading of a query: a name, and the areas it is said to lie in.
struct NameQuery {
    /// All words of the piece, numbers among them.
    let words: [String]
    /// Without numbers, and without what is said of a place rather than part of its name.
    private(set) var name: [String]
    private(set) var areas: [String]
    /// The number that stands alone, or beside a name.
    let number: String?
    /// The kind of place it says.
    let kind: PlaceTable.Kind?
    /// Whether only names that begin so are meant, and none by a letter or two.
    let mustBegin: Bool

    init(_ words: [String], in context: [String], mustBegin: Bool) {
        self.words = words
        self.mustBegin = mustBegin
        let numbers = words.filter(\.isNumber)
        (name, kind) = Self.withoutGeneric(words.filter { !$0.isNumber })
        number = numbers.first
        // A house number after a street is no postal code.
        areas = (context + numbers).filter { !$0.isNumber || $0.utf8.count == 5 }
    }

    /// It can only be the sign of an area, like SA.
    var isSign: Bool { mustBegin && (1..<3).contains(name.joined().utf8.count) }

    /// The same with all but so many words of the name as areas.
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
    /// Digits alone.
    var isNumber: Bool { utf8.allSatisfy { (48...57).contains($0) } }
}
