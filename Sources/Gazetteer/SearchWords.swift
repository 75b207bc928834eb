import Domain

/// What a query asks for: the name sought, and the areas it is said to lie in.
struct SearchQuery {
    static let longestText = 200
    private static let mostWords = 8

    /// The comma-separated pieces, brackets counting as commas, each as words.
    let pieces: [[String]]

    init(_ text: String) {
        // The length is bounded before any work on the text, and in scalars, as one character may hold thousands.
        let bounded = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longestText)))
        let split = bounded.split { ",;()[]\n\t|".contains($0) }
        pieces = split.prefix(Self.mostWords).map { piece in
            // Of a name in two languages, Bolzano/Bozen, the first one is enough.
            let name = piece.split(separator: "/").first ?? piece
            return Array(Self.words(String(name)).prefix(Self.mostWords))
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
