import Foundation

/// The weights of distances. Between the middles of the rungs they change steadily, so that a metre more never counts
/// as a rung.
struct DistanceCurve: Sendable {
    /// Upper ends of the rungs but the last, in metres.
    static let ends: [Double] = [100, 200, 400, 800, 1600, 2400, 3600, 5400, 8000, 12_000]
    /// Binary logarithms of the distances at which the weights hold.
    private static let middles: [Double] = [40, 141, 283, 566, 1131, 1960, 2940, 4410, 6570, 9800, 17_000].map {
        log2($0)
    }
    private let weights: [Double]

    init(_ weights: [Double]) { self.weights = weights }

    static func level(_ metres: Double) -> Int { ends.firstIndex { metres < $0 } ?? ends.count }

    func bits(_ metres: Double) -> Double { interpolated(log2(max(metres, 1)), Self.middles, weights) }
}

/// The weights of the days from the loss to the find.
struct DayCurve: Sendable {
    /// The first day of each rung but the first.
    private static let starts = [-3, -1, 0, 1, 2, 4, 8, 15, 31]
    private static let middles = [-5, -2.4, -1, 0, 1, 2.5, 5.5, 11, 22, 50].map(stretched)
    private static let range = -120...400
    /// For each day of the range.
    private let bits: [Double]

    init(_ weights: [Double]) {
        bits = Self.range.map { interpolated(Self.stretched(Double($0)), Self.middles, weights) }
    }

    static func level(_ days: Int) -> Int { starts.lastIndex { days >= $0 }.map { $0 + 1 } ?? 0 }

    func bits(_ days: Int) -> Double {
        bits[min(max(days, Self.range.lowerBound), Self.range.upperBound) - Self.range.lowerBound]
    }

    /// After the first day, twice as many days are one step.
    private static func stretched(_ days: Double) -> Double { days <= 1 ? days : 1 + log2(days) }
}

/// The value at a position between knots; outside of them, that of the nearest knot.
private func interpolated(_ position: Double, _ knots: [Double], _ values: [Double]) -> Double {
    guard position > knots[0] else { return values[0] }
    for index in 1..<knots.count where position < knots[index] {
        let share = (position - knots[index - 1]) / (knots[index] - knots[index - 1])
        return values[index - 1] * (1 - share) + values[index] * share
    }
    return values[knots.count - 1]
}
