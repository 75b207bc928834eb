/// Durations, counted in buckets.
struct Histogram: Sendable {
    /// The upper bounds of the buckets in seconds, ascending. The last bucket is above all bounds.
    let bounds: [Double]
    private(set) var count = 0
    private var seconds = 0.0
    /// Not cumulative.
    private var buckets: [Int]

    init(bounds: [Double]) {
        self.bounds = bounds
        buckets = Array(repeating: 0, count: bounds.count + 1)
    }

    mutating func add(_ time: Double) {
        count += 1
        seconds += time
        buckets[bounds.firstIndex { time <= $0 } ?? bounds.count] += 1
    }

    /// Returns the upper bound of the bucket in which the quantile is; infinite above all bounds, and nil if nothing was
    /// counted.
    func quantile(_ share: Double) -> Double? {
        guard count > 0 else { return nil }
        var sum = 0
        for (bound, number) in zip(bounds, buckets) {
            sum += number
            if Double(sum) >= share * Double(count) { return bound }
        }
        return .infinity
    }

    /// Writes the series of a family of the kind `histogram`.
    func write(
        _ name: StaticString,
        _ labels: [(key: StaticString, value: String)],
        _ text: inout PrometheusText
    ) {
        var sum = 0
        for (bound, count) in zip(bounds.map { "\($0)" } + ["+Inf"], buckets) {
            sum += count
            text.sample(name, suffix: "_bucket", labels + [(key: "le", value: bound)], Double(sum))
        }
        text.sample(name, suffix: "_sum", labels, seconds)
        text.sample(name, suffix: "_count", labels, Double(count))
    }
}
