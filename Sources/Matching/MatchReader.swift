package import Domain
import Foundation

/// Reads what listings tell, once for each listing. It holds the tables of breeds and words.
package struct MatchReader: Sendable {
    let breeds: BreedReader
    let colours = ColourReader()
    let marks = MarkReader()
    private let kin: BreedKin
    private let weights: BreedWeights
    private let photos = PhotoPrototypes()
    /// Changes with the tables. What was read with other tables must be read again.
    package let fingerprint: UInt32

    package init(breeds table: Breeds) {
        breeds = table.reader
        kin = BreedKin(positions: breeds.positions)
        weights = BreedWeights(positions: breeds.positions)
        let tables =
            ["breed-kin", "breed-weights"].map { Bundle.module.table($0).bytes } + [
                ColourReader.bytes, PhotoPrototypes.bytes,
            ]
        fingerprint = stableHash(Array("\(breeds.fingerprint)".utf8) + tables.joined())
    }

    /// Reads the texts of a listing.
    package func subject(_ description: MatchDescription) -> MatchSubject {
        var subject = MatchSubject(
            isLost: description.isLost,
            species: description.species,
            coordinate: description.coordinate,
            day: description.day,
            tables: fingerprint
        )
        readBreed(description, &subject)
        readColour(description, &subject)
        let text = [description.description, description.marks, description.age].compactMap(\.self)
        let facts = FactReading(text.map { $0.beginning(4000) }.joined(separator: " . "))
        subject.sex = description.sex
        subject.neutered = facts.neutered
        if let kilograms = facts.kilograms { subject.weight = Float(log2(kilograms)) }
        subject.size = description.size ?? subject.size
        subject.age = AgeReading.months(description.age) ?? subject.age
        subject.marks = marks.read([description.marks, description.collar].compactMap(\.self))
        subject.photos = traits(of: description.photoVectors)
        subject.microchip = description.microchip.flatMap { try? Microchip(parsing: $0) }.map(MatchSubject.code) ?? 0
        return subject
    }

    /// Returns what is compared of photos. Vectors of other sizes are left out.
    package func traits(of vectors: [[Int8]]) -> PhotoTraits { photos.traits(of: vectors) }

    private func readBreed(_ description: MatchDescription, _ subject: inout MatchSubject) {
        var reading = description.breed.map(breeds.read) ?? BreedReading()
        if reading.breeds.isEmpty, let key = description.breedKey, let known = breeds.positions[key],
            key != Breed.mixedKey
        {
            reading.breeds = [known]
        }
        if description.breedKey == Breed.mixedKey { reading.isMixed = true }
        for (index, breed) in reading.breeds.enumerated() { subject.breeds[index] = breed + 1 }
        subject.isMixed = reading.isMixed
        subject.breedText = description.breed.map { stableHash($0.foldedWords().joined(separator: " ").utf8) } ?? 0
        subject.variants = reading.breeds.reduce(0) { $0 | kin.variants[Int($1)] }
        subject.alike = reading.breeds.reduce(0) { $0 | kin.alike[Int($1)] }
        subject.usualWeight = weights.usual(reading.breeds)
        subject.size = reading.size
        if reading.isPuppy { subject.age = 6 }
        guard reading.breeds.isEmpty else { return }
        subject.photoBreeds = photoBreeds(description).map { breed, probability in
            let (variants, alike) = (kin.variants[Int(breed)], kin.alike[Int(breed)])
            return PhotoBreed(breed: breed + 1, probability: probability, variants: variants, alike: alike)
        }
    }

    /// The likeliest breeds of the photos.
    private func photoBreeds(_ description: MatchDescription) -> [(breed: UInt16, probability: Float)] {
        let known = description.photoBreeds.prefix(64).compactMap { photo -> (breed: UInt16, probability: Float)? in
            guard let position = breeds.positions[photo.key], photo.probability > 0.02 else { return nil }
            return (position, Float(min(photo.probability, 1)))
        }
        return Array(known.sorted { $0.probability > $1.probability }.prefix(BreedReader.maxBreeds))
    }

    private func readColour(_ description: MatchDescription, _ subject: inout MatchSubject) {
        var reading = colours.read(description.colour ?? "")
        // "Chocolate lab" states the colour in the breed.
        if reading.colours == 0, let breed = description.breed { reading = colours.read(breed) }
        subject.colours = reading.colours
        subject.closeColours = reading.close
        subject.firstColour = reading.first
    }
}
