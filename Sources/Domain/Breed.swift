/// A breed, a well-known cross or a type of dog or cat.
package struct Breed: Hashable, Sendable {
    /// A stable identifier in lower-case ASCII, for example `labrador_retriever`.
    package let key: String
    package let species: Species
    package let englishName: String
    package let italianName: String
    /// Other names, short names and misspellings, in either language.
    package let synonyms: [String]
    /// The number in the nomenclature of the Fédération Cynologique Internationale; varieties of a breed share it.
    package let fciNumber: Int?
    package let fciGroup: Int?
    /// The number of animals of this breed per 100,000 lost and found animals of the species.
    package let frequency: Int

    package func name(in language: Language) -> String {
        switch language {
        case .english: englishName
        case .italian: italianName
        }
    }
}
