/// A breed, a well-known cross or a type of dog or cat.
package struct Breed: Hashable, Sendable {
    /// A stable identifier in lower-case ASCII, for example `labrador_retriever`.
    package let key: String
    package let species: Species
    /// The English name.
    package let name: String
    /// The names in the other languages that have one.
    package let translations: [Language: String]
    /// Other names, short names and misspellings, in any language.
    package let synonyms: [String]
    /// The number in the nomenclature of the Fédération Cynologique Internationale; varieties of a breed share it.
    package let fciNumber: Int?
    package let fciGroup: Int?
    /// The number of animals of this breed per 100,000 lost and found animals of the species.
    package let frequency: Int

    /// The key of crosses of dogs whose parents are not known.
    package static let mixedKey = "mixed"

    /// The names of a type, such as Shepherd and Pastore of "Shepherd (type)", folded; empty for other breeds.
    package var typeNames: [String] {
        guard name.hasSuffix(" (type)") else { return [] }
        var types: [String] = []
        for name in names.map({ $0.prefix { $0 != "(" }.folded }) where !types.contains(name) { types.append(name) }
        return types
    }

    /// Whether it stands for several breeds, as Terrier does.
    package var isType: Bool { !typeNames.isEmpty }

    /// Whether animals of a species may be of this breed. Animals of every species are crosses.
    package func isPossible(for species: Species) -> Bool { key == Self.mixedKey || species == self.species }

    package func name(in language: Language) -> String {
        translations[language] ?? name
    }

    /// The names in all languages that have one, in their order.
    package var names: [String] { [name] + Language.allCases.compactMap { translations[$0] } }
}

extension Breed {
    /// The error of a listing or search of another species.
    package func refusal(as species: Species) -> ServiceError {
        .invalid("breed", "\(name) is of species \(self.species.rawValue): expected a breed of \(species.rawValue)")
    }
}
