/// The breeds that a text means by which listings are filtered.
package struct BreedGroup: Sendable {
    /// The breed or type with exactly this name.
    package let named: Breed?
    /// Breeds and types, `named` included. The listings of a type's breeds are listings of the type, so these are left out
    /// where their type is here.
    package let breeds: [Breed]
    /// The folded text if it names no breed: a listing belongs to the group if its own text of the breed contains all words.
    package let text: String?

    /// Returns the breeds of which an animal of a species may be.
    ///
    /// - Throws: `invalid` if the text names a breed of another species.
    package func breeds(of species: Species?) throws(ServiceError) -> [Breed] {
        guard let species else { return breeds }
        let found = breeds.filter { $0.isPossible(for: species) }
        if let named, found.isEmpty { throw named.refusal(as: species) }
        return found
    }
}
