import Domain
import Foundation

/// The order of listings by how likely they are of the dog in a photo: breed and distance in one score.
///
/// Each group has the listings of one breed and its crosses, or those of dogs without a named breed, and a weight in bits: the
/// binary logarithm of how much likelier the dog of the photo is in a listing of the group than in any listing. Within a
/// group nearer listings are likelier, so a page is a merge of the nearest listings of each group.
package struct PhotoRanking: Equatable, Sendable {
    package struct Group: Equatable, Sendable {
        /// The key of the breed; nil for dogs without a named breed.
        package let breed: String?
        /// What the model says of the breed, from 0 to 1; nil without a breed.
        package let probability: Double?
        let bits: Double
    }

    /// The group with the greatest weight first.
    package let groups: [Group]

    /// How many pairs of listings of one dog name a breed in common: 77 % of 859 pairs of Vancouver's reports of lost and
    /// impounded dogs.
    private static let agreement = 0.77
    /// The slope of the distance weights in `weights.tsv` between 141 m and 9.8 km: so many bits less for each doubling.
    private static let bitsPerDoubling = 1.75
    /// In metres. Below this distance, the places of listings and visitors are not exact enough to matter.
    private static let near = 1_000.0
    /// A less likely breed has a smaller weight than no breed.
    private static let minProbability = 0.01
    private static let maxBreeds = 8

    /// - Parameters:
    ///   - breeds: the keys of the breeds that the photo may show, and their probabilities.
    ///   - labels: the number of breeds that the model knows. It was trained on equal parts of each, so a breed of which the
    ///     photo says nothing has the probability `1 / labels`.
    package init(_ breeds: [(key: String, probability: Double)], labels: Int) {
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

    /// The score of a listing at a distance in metres, in bits.
    private func score(_ rank: Int, _ distance: Double) -> Double {
        groups[rank].bits - Self.bitsPerDoubling * log2(1 + distance / Self.near)
    }

    /// Returns the distance in metres at which listings of a group have a score; nil if none is that likely.
    private func distance(_ rank: Int, atScore score: Double) -> Double? {
        let distance = Self.near * (exp2((groups[rank].bits - score) / Self.bitsPerDoubling) - 1)
        return distance < 0 ? nil : distance
    }

    /// Returns where a page that begins behind `cursor` begins in a group; nil for the start of the group.
    private func start(_ rank: Int, behind cursor: ListingQuery.Cursor) -> ListingQuery.Cursor? {
        guard rank != cursor.rank, let shown = Double(cursor.value) else { return cursor }
        guard let distance = distance(rank, atScore: score(cursor.rank, shown)) else { return nil }
        // Of listings with the same score, those of the first group come first.
        return .init(order: .distance, value: String(distance), key: rank < cursor.rank ? .max : .min)
    }

    /// Returns the page of a query, plus one more listing if there are more.
    ///
    /// - Parameter find: returns the page of a query without a ranking.
    func page(_ query: ListingQuery, _ find: (ListingQuery) throws -> [ListingHit]) throws -> [ListingHit] {
        query.order == .distance ? try merged(query, find) : try inTurn(query, find)
    }

    private func merged(_ query: ListingQuery, _ find: (ListingQuery) throws -> [ListingHit]) throws -> [ListingHit] {
        var hits: [(score: Double, hit: ListingHit)] = []
        for rank in groups.indices {
            var one = query.restricted(to: groups[rank])
            one.cursor = query.cursor.flatMap { start(rank, behind: $0) }
            for var hit in try find(one) {
                hit.rank = rank
                hits.append((score(rank, hit.distance), hit))
            }
        }
        let sorted = hits.sorted { left, right in
            (-left.score, left.hit.rank, left.hit) < (-right.score, right.hit.rank, right.hit)
        }
        return sorted.prefix(query.limit + 1).map(\.hit)
    }

    /// Without a place, the listings of one group come after those of another.
    private func inTurn(_ query: ListingQuery, _ find: (ListingQuery) throws -> [ListingHit]) throws -> [ListingHit] {
        var hits: [ListingHit] = []
        let start = query.cursor?.rank ?? 0
        for rank in groups.indices.dropFirst(start) where hits.count <= query.limit {
            var one = query.restricted(to: groups[rank])
            // `find` returns one more than this limit.
            one.limit = query.limit - hits.count
            if rank > start { one.cursor = nil }
            for var hit in try find(one) {
                hit.rank = rank
                hits.append(hit)
            }
        }
        return hits
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
