import Foundation

/// Which label each output of a network stands for.
struct LabelTable: Sendable {
    /// Each once, in the order of their first outputs.
    let labels: [ModelManifest.Label]
    /// For each output, the place of its label in `labels`.
    private let places: [Int]

    /// - Parameter outputs: the label of each output; where none is of the subject, all are.
    init(outputs: [ModelManifest.Label]) {
        let everything = !outputs.contains(where: \.isSubject)
        var labels: [ModelManifest.Label] = []
        var known: [String: Int] = [:]
        places = outputs.map { label in
            if let place = known[label.id] { return place }
            known[label.id] = labels.count
            labels.append(.init(id: label.id, names: label.names, isSubject: label.isSubject || everything))
            return labels.count - 1
        }
        self.labels = labels
    }

    /// - Parameter count: how many outputs the network has.
    init(_ manifest: ModelManifest, count: Int, labelMaps: URL?) throws(ModelError) {
        switch manifest.labels {
        case .list(let labels):
            guard labels.count == count else { throw .outputs(expected: "\(labels.count)", found: count) }
            self.init(outputs: labels)
        case .map(let name):
            self.init(outputs: try LabelMap(name: name, in: labelMaps).labels(count: count))
        }
    }

    /// The probability of each label, in their order: the sum of its outputs'.
    func sum(_ probabilities: [Double]) -> [Double] {
        zip(places, probabilities).reduce(into: Array(repeating: 0, count: labels.count)) { sums, output in
            sums[output.0] += output.1
        }
    }
}
