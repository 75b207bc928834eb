import Foundation

/// How rare breeds are among the listings at hand: a rare breed in common tells more than a frequent one.
package struct MatchFrequencies: Sendable {
    /// The number of listings that the shares of the breed table count as.
    private static let priorCount = 200.0
    private let prior: [Float]
    private var counts: [UInt32]
    private var total: UInt32 = 0
    /// The binary logarithm of one divided by the share of each breed, by its number in `MatchSubject.breeds`.
    private(set) var rarity: [Float] = []

    /// Begins with the frequencies of the breed table.
    package init(_ reader: MatchReader) {
        prior = reader.breeds.shares
        counts = Array(repeating: 0, count: prior.count)
        rarity = prior.map { Self.rarity(share: Double($0)) }
    }

    /// Counts listings, for example those of one side that are open.
    package mutating func count(_ subjects: [MatchSubject]) {
        count(subjects.indices.map { subjects[$0].firstBreed })
    }

    /// - Parameter firstBreeds: of each listing, see `MatchSubject.firstBreed`.
    package mutating func count(_ firstBreeds: [Int]) {
        for breed in firstBreeds {
            total += 1
            if breed > 0, breed <= counts.count { counts[breed - 1] += 1 }
        }
        rarity = zip(counts, prior).map { count, share in
            Self.rarity(share: (Double(count) + Self.priorCount * Double(share)) / (Double(total) + Self.priorCount))
        }
    }

    /// Limited, because a breed of a few listings is not rarer than its count can tell.
    private static func rarity(share: Double) -> Float { Float(min(11, -log2(max(share, 1e-9)))) }
}
