/// A condition that a listing fulfils by one of several facets or phrases. Without any, no listing fulfils it.
package struct SearchClause: Equatable, Hashable, Sendable {
    /// Names of facets without the status, such as `colour:black`, `place:eboli`, `species:cat`, `breed:beagle` for pure
    /// beagles and `cross:beagle` for their crosses. A name without a kind of its own is looked up in the column `facets`.
    package var facets: Set<String>
    /// Folded texts. A listing contains a phrase if one of its texts contains all of its words near each other, in any order:
    /// as a beginning of a word from three letters on and as a whole word otherwise, or, from three letters on, a word with
    /// the same stem.
    package var phrases: [String]

    package init(facets: Set<String> = [], phrases: [String] = []) {
        (self.facets, self.phrases) = (facets, phrases)
    }

    /// The clause without phrases, if it has facets besides; nil if it has either.
    var byFacets: SearchClause? { facets.isEmpty || phrases.isEmpty ? nil : SearchClause(facets: facets) }

    /// Whether a listing with one of some facets fulfils the clause. A coat has the colours by which it is named.
    func follows(from others: Set<String>) -> Bool {
        let isOfColour = facets.contains { $0.hasPrefix("colour:") }
        return others.allSatisfy { facets.contains($0) || isOfColour && $0.hasPrefix("coat:") }
    }

    /// Whether the clause stands for words that have no other meaning than to be a name or in texts.
    var isPlain: Bool { facets.allSatisfy { $0.hasPrefix("place:") || $0.hasPrefix("name:") } }

    /// The words of the phrases that have any.
    var words: [[SearchWord]] { phrases.map(SearchWord.all).filter { !$0.isEmpty } }
}

/// A word that a search looks for, prepared for many texts.
struct SearchWord: Sendable {
    /// Folded.
    let text: String
    /// Whether the beginning of a longer word counts.
    let isBeginning: Bool
    /// The stem of the words that count besides; nil if none do.
    let stem: String?

    /// The words of a folded text.
    static func all(_ text: String) -> [SearchWord] { text.split(separator: " ").map { SearchWord(String($0)) } }

    private init(_ text: String) {
        self.text = text
        isBeginning = text.unicodeScalars.count >= 3
        stem = isBeginning ? text.stem : nil
    }
}
