import Concurrency

/// Writes metrics in the Prometheus text exposition format 0.0.4.
struct PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    typealias Labels = KeyValuePairs<StaticString, String>

    mutating func sample(_ name: StaticString, _ labels: Labels, _ value: Double) {
        sample(name, suffix: "", Array(labels), value)
    }

    mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// - Parameter suffix: the suffix of a histogram's series, such as `_sum`.
    mutating func sample(
        _ name: StaticString,
        suffix: StaticString,
        _ labels: some Sequence<(key: StaticString, value: String)>,
        _ value: Double
    ) {
        let pairs = labels.map { "\($0.key)=\"\($0.value.escaped)\"" }.joined(separator: ",")
        // Integral values are written without a decimal point, whatever their size.
        let number = Int(exactly: value).map(String.init) ?? "\(value)"
        text += "\(name)\(suffix)\(pairs.isEmpty ? "" : "{\(pairs)}") \(number)\n"
    }

    /// Writes the series of a family of the kind `histogram`.
    mutating func samples(
        _ name: StaticString,
        _ labels: [(key: StaticString, value: String)] = [],
        of histogram: Histogram
    ) {
        var sum = 0
        for (bound, count) in zip(histogram.bounds.map { "\($0)" } + ["+Inf"], histogram.buckets) {
            sum += count
            sample(name, suffix: "_bucket", labels + [(key: "le", value: bound)], Double(sum))
        }
        sample(name, suffix: "_sum", labels, histogram.seconds)
        sample(name, suffix: "_count", labels, Double(histogram.count))
    }

    /// Writes a family with one sample. A nil value writes nothing, so that it cannot be mistaken for a measurement.
    private mutating func single(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double?) {
        guard let value else { return }
        family(name, kind, help)
        sample(name, [:], value)
    }

    mutating func gauge(_ name: StaticString, _ help: StaticString, _ value: (some BinaryInteger)?) {
        single(name, .gauge, help, value.map { Double($0) })
    }

    mutating func gauge(_ name: StaticString, _ help: StaticString, _ value: Double?) {
        single(name, .gauge, help, value)
    }

    mutating func counter(_ name: StaticString, _ help: StaticString, _ value: some BinaryInteger) {
        single(name, .counter, help, Double(value))
    }

    mutating func counter(_ name: StaticString, _ help: StaticString, _ value: Double?) {
        single(name, .counter, help, value)
    }
}

extension String {
    fileprivate var escaped: String {
        guard utf8.contains(where: { [UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "\n")].contains($0) }) else {
            return self
        }
        return replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
