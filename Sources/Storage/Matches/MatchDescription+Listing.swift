import Domain
import Matching

extension MatchDescription {
    /// The probability that the model is right about a breed that it found in a photo: an estimate, because listings keep
    /// only the breed and not its probability.
    private static let predictionAccuracy = 0.8

    /// Describes a listing by what it shows to everybody.
    ///
    /// - Parameters:
    ///   - day: the local day when the animal was last seen, in days since 1970-01-01.
    ///   - vectors: those of its photos.
    init(_ listing: Listing, day: Int, vectors: [[Int8]]) {
        let content = listing.content
        self.init(
            isLost: content.status == .lost,
            species: content.species,
            coordinate: listing.location.coordinate,
            day: day
        )
        if content.breedIsPredicted {
            photoBreeds = content.breedKey.map { [($0, Self.predictionAccuracy)] } ?? []
        } else {
            (breed, breedKey) = (content.breed, content.breedKey)
        }
        colour = content[.colour]
        (sex, size) = (content.sex, content.size)
        (age, marks, collar) = (content[.age], content[.marks], content[.collar])
        description = content.description
        photoVectors = vectors
    }
}

/// The columns of the view `listing_match`, of listings that need not be open.
extension Listing {
    /// The local day by the Sun when the animal was last seen, in days since 1970-01-01.
    var seenDay: Int {
        CalendarDay(of: seenAt, at: location.coordinate.lon)?.daysSince1970 ?? 0
    }
}

extension ListingLocation {
    /// 0 for an exact point, 1 for the centre of a cell and 2 for a town.
    var blur: Int64 { approximate ? (exact == nil ? 2 : 1) : 0 }
}

extension Species {
    /// The side of the lost ones; the found ones have the next number.
    var side: Int64 {
        switch self {
        case .dog: 0
        case .cat: 2
        case .other: 4
        }
    }
}
