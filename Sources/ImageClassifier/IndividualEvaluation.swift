/// Measures how well vectors of pictures recognise individuals.
public struct IndividualEvaluation: Sendable {
    /// The number of pictures, and of individuals with at least two of them.
    public let pictures, individuals: Int
    /// The share of pictures whose most similar other picture shows the same individual. Pictures of individuals with one
    /// picture are only rivals of the others.
    public let first: Double
    /// The share of pictures with the same individual among the five most similar other pictures.
    public let topFive: Double
    /// The area under the receiver operating characteristic: the probability that a pair of one individual is more similar
    /// than a pair of two. Nil without such pairs.
    public let auc: Double?
    /// The same where the pairs of two are of individuals whose pictures mostly have the same label; nil without such pairs.
    public let aucOfLabel: Double?

    /// - Parameter pictures: the individual that each picture shows, its vector, and its likeliest label.
    public init(_ pictures: [(individual: String, vector: PictureVector, label: String?)]) {
        let labels = Self.labels(pictures)
        let counts = Dictionary(pictures.map { ($0.individual, 1) }, uniquingKeysWith: +)
        var (same, other, alike): ([Double], [Double], [Double]) = ([], [], [])
        var (asked, first, topFive) = (0, 0, 0)
        for (index, one) in pictures.enumerated() {
            let others = pictures.indices.filter { $0 != index }
                .map { (likeness: one.vector.likeness(to: pictures[$0].vector), index: $0) }
            for (likeness, rival) in others where rival > index {
                if pictures[rival].individual == one.individual {
                    same.append(likeness)
                } else {
                    other.append(likeness)
                    if let label = labels[one.individual], label == labels[pictures[rival].individual] {
                        alike.append(likeness)
                    }
                }
            }
            guard counts[one.individual, default: 0] > 1 else { continue }
            let nearest = others.sorted { ($1.likeness, $0.index) < ($0.likeness, $1.index) }.prefix(5)
                .map { pictures[$0.index].individual == one.individual }
            asked += 1
            if nearest.first == true { first += 1 }
            if nearest.contains(true) { topFive += 1 }
        }
        self.pictures = pictures.count
        individuals = counts.values.count { $0 > 1 }
        self.first = Double(first) / Double(max(asked, 1))
        self.topFive = Double(topFive) / Double(max(asked, 1))
        auc = Self.auc(same, other)
        aucOfLabel = Self.auc(same, alike)
    }

    /// Returns the most frequent label of each individual.
    private static func labels(
        _ pictures: [(individual: String, vector: PictureVector, label: String?)]
    ) -> [String: String] {
        Dictionary(grouping: pictures, by: \.individual).compactMapValues { own in
            let counts = Dictionary(own.compactMap(\.label).map { ($0, 1) }, uniquingKeysWith: +)
            return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        }
    }

    /// Equal values count half (Mann and Whitney, 1947).
    private static func auc(_ positives: [Double], _ negatives: [Double]) -> Double? {
        guard !positives.isEmpty, !negatives.isEmpty else { return nil }
        let sorted = negatives.sorted()
        func below(_ value: Double, orEqual: Bool) -> Int {
            var (low, high) = (0, sorted.count)
            while low < high {
                let middle = (low + high) / 2
                if sorted[middle] < value || orEqual && sorted[middle] == value {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low
        }
        let wins = positives.reduce(0) { $0 + Double(below($1, orEqual: false) + below($1, orEqual: true)) / 2 }
        return wins / Double(positives.count) / Double(negatives.count)
    }
}
