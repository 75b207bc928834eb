import Domain

/// Reads the colours of the coat from descriptions: "Ho perso un cane nero con collare rosso".
package struct CoatReader: Sendable {
    package static let shared = CoatReader()

    private let colours = ColourReader()
    /// In Unicode scalars and words: descriptions begin with the animal.
    private static let (maxLength, maxWords) = (600, 80)

    private init() {}

    /// Returns the colours behind a word for an animal or its coat. A colour behind a collar or a part of the body is not that
    /// of the coat.
    package func colours(in description: String) -> Set<String> {
        var found: Set<String> = []
        var rest = description.foldedWords(maxLength: Self.maxLength, maxCount: Self.maxWords)[...]
        var isBehindAnimal = false
        while let word = rest.first {
            if let (colour, length) = colours.longestPhrase(rest) {
                let isOfThing = isKind(.thing, rest.dropFirst(length).first)
                if isBehindAnimal, !isOfThing { found.formUnion(colour) }
                rest = rest.dropFirst(length)
                isBehindAnimal = isBehindAnimal && !isOfThing
            } else {
                let isLead = Self.leads.contains { isKind($0, word) }
                isBehindAnimal = isLead || isBehindAnimal && isKind(.joint, word) && word != "con" && word != "with"
                rest = rest.dropFirst()
            }
        }
        return found
    }

    private static let leads: [SearchWords.Kind] = [.species, .mixed, .sex, .size, .age, .coat]

    private func isKind(_ kind: SearchWords.Kind, _ word: String?) -> Bool {
        word.map { !SearchWords.shared.entries($0, kind).isEmpty } ?? false
    }
}
