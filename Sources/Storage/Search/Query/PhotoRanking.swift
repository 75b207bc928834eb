import Domain
import Foundation
package import Matching

/// The dog in a photo: the breeds that it may have, and how the photo looks.
///
/// Around a place, `PhotoSearch` compares all of this. Elsewhere listings come in the order of groups: the listings of one
/// breed and its crosses, or those of dogs without a named breed. A group has a weight in bits: the binary logarithm of how much
/// likelier the dog of the photo is in a listing of the group than in any listing.
package struct PhotoRanking: Equatable, Sendable {
    package struct Group: Equatable, Sendable {
        /// The key of the breed; nil for dogs without a named breed.
        package let breed: String?
        /// The probability of the breed by the model, from 0 to 1; nil without a breed.
        package let probability: Double?
        let bits: Double
    }

    /// The group with the greatest weight first.
    package let groups: [Group]
    let reader: MatchReader
    private let vector: [Int8]?

    /// How many pairs of listings of one dog name a breed in common: 77 % of 859 pairs of Vancouver's reports of lost and
    /// impounded dogs.
    private static let agreement = 0.77
    /// A less likely breed has a smaller weight than no breed.
    private static let minProbability = 0.01
    private static let maxBreeds = 8

    /// - Parameters:
    ///   - breeds: the keys of the breeds that the photo may show, and their probabilities.
    ///   - labels: the number of breeds that the model knows. It was trained on equal parts of each, so a breed of which the
    ///     photo says nothing has the probability `1 / labels`.
    ///   - vector: that of the photo, by the model of `PhotoPrototypes`; nil if there is none.
    package init(
        _ breeds: [(key: String, probability: Double)],
        labels: Int,
        vector: [Int8]?,
        _ reader: MatchReader
    ) {
        (self.vector, self.reader) = (vector, reader)
        let likely = breeds.filter { $0.probability >= Self.minProbability }.sorted { $0.probability > $1.probability }
        let known = likely.prefix(Self.maxBreeds).map { breed in
            Group(
                breed: breed.key,
                probability: breed.probability,
                bits: log2(Self.agreement * Double(labels) * breed.probability + 1 - Self.agreement)
            )
        }
        groups = (known + [Group(breed: nil, probability: nil, bits: 0)]).sorted { $0.bits > $1.bits }
    }

    /// The breeds that the photo may show, the likeliest first.
    package var breeds: [(key: String, probability: Double)] {
        groups.compactMap { group in
            guard let breed = group.breed, let probability = group.probability else { return nil }
            return (breed, probability)
        }
    }

    package static func == (one: Self, other: Self) -> Bool {
        one.groups == other.groups && one.vector == other.vector
    }

    /// The dog as an animal that is compared with those of the other side.
    func subject(isLost: Bool, at place: Coordinate) -> MatchSubject {
        var photo = MatchDescription(isLost: isLost, species: .dog, coordinate: place, day: 0)
        photo.photoBreeds = breeds
        photo.photoVectors = vector.map { [$0] } ?? []
        return reader.subject(photo)
    }

    /// The position of the first group that the listing is in; nil if it is in none.
    func group(of row: ListingRow) -> Int? {
        let facets = row.string(.breedFacets) ?? ""
        return groups.firstIndex { group in
            facets.contains("\"\(group.breed ?? ListingBreeds.unsaid)\"")
        }
    }

    /// Returns the page of a query, plus one more listing if there are more: the listings of one group after those of another.
    ///
    /// - Parameter find: returns the page of a query without a ranking.
    func page(_ query: ListingQuery, _ find: (ListingQuery) throws -> HitPage) throws -> HitPage {
        try HitPage(groups.map(query.restricted), of: query, find)
    }
}

extension ListingQuery {
    fileprivate func restricted(to group: PhotoRanking.Group) -> ListingQuery {
        var one = self
        one.photo = nil
        if let breed = group.breed {
            one.breed = .key(breed)
            return one
        }
        one.species = species ?? .dog
        one.breed = .key(ListingBreeds.unsaid)
        return one
    }
}
