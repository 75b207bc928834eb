package import Domain

/// A breed that a model saw on photos.
struct PhotoBreed: Equatable, Sendable {
    /// The position in the breed table, counted from 1.
    var breed: UInt16
    var probability: Float
    /// See `MatchSubject.variants` and `alike`.
    var variants: UInt64
    var alike: UInt64
}

/// One listing in the form that is compared. Both sides have the same form.
package struct MatchSubject: Equatable, Sendable {
    package var isLost: Bool
    package var species: Species
    package var coordinate: Coordinate
    /// The local calendar day when the animal was last seen, in days since 1970-01-01.
    package var day: Int
    /// The fingerprint of the tables with which the texts were read.
    package let tables: UInt32
    /// Positions in the breed table, counted from 1; 0 where there is none.
    var breeds = SIMD4<UInt16>()
    /// The breeds that a model saw on the photos, at most four.
    var photoBreeds: [PhotoBreed] = []
    /// The traits of the photos. `encoded` has only sketches of them.
    package var photos = PhotoTraits()
    var isMixed = false
    /// A hash of the words of the breed; 0 if it is not said.
    var breedText: UInt32 = 0
    /// The groups of breeds that contain one of the breeds; see `breed-kin.tsv`.
    var variants: UInt64 = 0
    var alike: UInt64 = 0
    /// The binary logarithm of the weight in kilograms that dogs of the breeds have; 0 if it is not known.
    var usualWeight: Float = 0
    /// The binary logarithm of the weight that is said; 0 if none is.
    var weight: Float = 0
    var colours: UInt16 = 0
    var closeColours: UInt16 = 0
    var firstColour: UInt8 = 0
    package var sex: Listing.Sex?
    var neutered: Bool?
    var size: Listing.Size?
    /// In months.
    var age: UInt16?
    /// Hashes of words of the marks and the collar, sorted; 0 fills the rest.
    var marks = SIMD16<UInt32>()
    /// See `code`; 0 if none is said.
    var microchip: UInt64 = 0

    init(isLost: Bool, species: Species, coordinate: Coordinate, day: Int, tables: UInt32) {
        (self.isLost, self.species, self.coordinate, self.day) = (isLost, species, coordinate, day)
        self.tables = tables
    }

    /// The position of the first breed in the breed table, counted from 1; 0 if there is none.
    package var firstBreed: Int { Int(breeds[0]) }

    package var sketches: PhotoSketches { PhotoSketches(photos) }

    /// Returns the subject with a microchip, for a comparison that may reveal that two listings have the same one.
    package func carrying(_ microchip: Microchip) -> MatchSubject {
        var subject = self
        subject.microchip = Self.code(microchip)
        return subject
    }

    /// The number of a microchip, at most 15 digits or 10 hexadecimal digits, with the kind in the highest bits.
    static func code(_ chip: Microchip) -> UInt64 {
        let length = chip.number.utf8.count
        let value = UInt64(chip.number, radix: length == 10 ? 16 : 10) ?? 0
        return value | UInt64(length) << 56
    }
}
