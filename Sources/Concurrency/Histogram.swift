/// Durations, counted in buckets.
package struct Histogram: Sendable {
    /// The upper bounds of the buckets in seconds, ascending. The last bucket is above all bounds.
    package let bounds: [Double]
    package private(set) var count = 0
    package private(set) var seconds = 0.0
    /// Not cumulative.
    package private(set) var buckets: [Int]

    package init(bounds: [Double]) {
        self.bounds = bounds
        buckets = Array(repeating: 0, count: bounds.count + 1)
    }

    package mutating func add(_ time: Double) {
        count += 1
        seconds += time
        buckets[bounds.firstIndex { time <= $0 } ?? bounds.count] += 1
    }

    /// Returns the upper bound of the bucket in which the quantile is; infinite above all bounds, and nil if nothing was
    /// counted.
    package func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var sum = 0
        for (bound, number) in zip(bounds, buckets) {
            sum += number
            if Double(sum) >= share * Double(count) { return bound }
        }
        return .infinity
    }
}
