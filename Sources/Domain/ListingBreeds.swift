/// The breeds that a listing's words name. Searches find the listing by them.
package struct ListingBreeds: Equatable, Sendable {
    /// The keys of the breeds, in the order of the text.
    package let keys: [String]
    package let isMixed: Bool
    /// The keys of the searches that find the listing: its breeds, their types, `Breed.mixedKey` for crosses, and
    /// `unsaid` for dogs without a breed.
    package let facets: [String]
    /// The fingerprint of the tables with which the words were read.
    package let tables: UInt32

    /// The facet of dogs of which nobody has named a breed.
    package static let unsaid = ""

    package init(keys: [String], isMixed: Bool, facets: [String], tables: UInt32) {
        (self.keys, self.isMixed, self.facets, self.tables) = (keys, isMixed, facets, tables)
    }
}

extension Breeds {
    /// Reads the breeds of a listing.
    ///
    /// - Parameters:
    ///   - text: what its owner wrote, or the name of the breed that a photo shows.
    ///   - key: the breed with exactly this name.
    package func listingBreeds(_ text: String?, key: String?, species: Species) -> ListingBreeds {
        let reading = text.map(reader.read) ?? BreedReading()
        var found = reading.breeds.map(Int.init).filter { all[$0].species == species }
        let isMixed = reading.isMixed || key == Breed.mixedKey
        if let own = key.flatMap(position(key:)), all[own].species == species, all[own].key != Breed.mixedKey,
            !found.contains(own)
        {
            found.insert(own, at: 0)
        }
        var facets = found + found.flatMap(types(of:)).filter { !found.contains($0) }
        facets = facets.enumerated().filter { !facets[..<$0.offset].contains($0.element) }.map(\.element)
        return ListingBreeds(
            keys: found.map { all[$0].key },
            isMixed: isMixed,
            facets: facets.map { all[$0].key } + (isMixed ? [Breed.mixedKey] : [])
                + (found.isEmpty && species == .dog ? [ListingBreeds.unsaid] : []),
            tables: reader.fingerprint
        )
    }
}

extension ListingContent {
    /// Reads the words of the breed anew.
    package mutating func readBreeds(_ table: Breeds) {
        breeds = table.listingBreeds(breed, key: breedKey, species: species)
    }
}
