/// Figures as Prometheus reads them (text exposition format 0.0.4).
struct PrometheusText {
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    private(set) var text = ""

    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    typealias Labels = KeyValuePairs<StaticString, String>

    mutating func family(_ name: StaticString, _ kind: Kind, _ help: StaticString) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// - Parameter suffix: of a histogram's parts, like `_sum`.
    mutating func sample(_ name: StaticString, suffix: StaticString = "", _ labels: Labels = [:], _ value: Double) {
        let told = labels.map { "\($0.key)=\"\($0.value.escaped)\"" }.joined(separator: ",")
        // Integers without a fraction, whatever their size.
        let number = Int(exactly: value).map(String.init) ?? "\(value)"
        text += "\(name)\(suffix)\(told.isEmpty ? "" : "{\(told)}") \(number)\n"
    }

    /// A family of one. Nil is absent: nothing that could be taken for a figure.
    mutating func single(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: (some BinaryInteger)?) {
        guard let value else { return }
        single(name, kind, help, Double(value))
    }

    mutating func single(_ name: StaticString, _ kind: Kind, _ help: StaticString, _ value: Double?) {
        guard let value else { return }
        family(name, kind, help)
        sample(name, [:], value)
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
