/// A breed, a well-known cross or a type of dog or cat.
package struct Breed: Hashable, Sendable {
    /// Stable, lower-case ASCII, like `labrador_retriever`.
    package let key: String
    package let species: Species
    package let englishName: String
    package let italianName: String
    /// Other names, short names and misspellings, of either language.
    package let synonyms: [String]
    /// The number in the nomenclature of the Fédération Cynologique Internationale; varieties of a breed share it.
    package let fciNumber: Int?
    package let fciGroup: Int?
    /// How many of 100,000 lost and found animals of the species are of it.
    package let frequency: Int

    package func name(in language: Language) -> String {
        switch language {
        case .english: englishName
        case .italian: italianName
        }
    }
}
