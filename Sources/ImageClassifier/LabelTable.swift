import Foundation

/// Maps the outputs of a network to labels.
struct LabelTable: Sendable {
    /// The distinct labels, in the order of their first outputs.
    let labels: [ModelManifest.Label]
    /// The index in `labels` of each output's label.
    private let places: [Int]

    /// - Parameter outputs: The label of each output. If no label belongs to the subject, all do.
    init(outputs: [ModelManifest.Label]) {
        let everything = !outputs.contains(where: \.isSubject)
        var labels: [ModelManifest.Label] = []
        var known: [String: Int] = [:]
        places = outputs.map { label in
            if let place = known[label.id] { return place }
            known[label.id] = labels.count
            let isSubject = label.isSubject || everything
            labels.append(
                .init(
                    id: label.id,
                    key: label.key,
                    names: label.names,
                    isSubject: isSubject,
                    isNamed: label.isNamed
                )
            )
            return labels.count - 1
        }
        self.labels = labels
    }

    /// - Parameter count: The number of outputs of the network.
    init(_ manifest: ModelManifest, count: Int, labelMaps: URL?) throws(ModelError) {
        switch manifest.labels {
        case .list(let labels):
            guard labels.count == count else { throw .outputs(expected: "\(labels.count)", found: count) }
            self.init(outputs: labels)
        case .map(let name):
            self.init(outputs: try LabelMap(name: name, in: labelMaps).labels(count: count))
        }
    }

    /// Returns the probability of each label, which is the sum over its outputs, in the order of `labels`.
    func sum(_ probabilities: [Double]) -> [Double] {
        zip(places, probabilities).reduce(into: Array(repeating: 0, count: labels.count)) { sums, output in
            sums[output.0] += output.1
        }
    }
}
