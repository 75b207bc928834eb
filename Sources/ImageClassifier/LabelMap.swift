import Foundation

/// The labels of the outputs in an order that many models share, read from a table `NAME.tsv`.
///
/// After a header line, each line has the outputs ("7", "8-12", or "background" for an output that some models have
/// before all others), the id of their label, and "yes" or "no" for whether the label belongs to the subject. Further
/// columns are comments.
struct LabelMap {
    private let name: String
    private var outputs: [ModelManifest.Label] = []
    private var background: ModelManifest.Label?

    init(name: String, in folder: URL?) throws(ModelError) {
        self.name = name
        guard let folder else { throw .labelMap(name: name, reason: "there is no folder of label maps") }
        let data: Data
        do {
            data = try ModelFile(folder.appending(path: "\(name).tsv"), most: 1 << 20).read()
        } catch {
            throw .labelMap(name: name, reason: "\(error)")
        }
        let lines = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated().dropFirst() { try add(line, number: number + 1) }
    }

    func labels(count: Int) throws(ModelError) -> [ModelManifest.Label] {
        if count == outputs.count { return outputs }
        if let background, count == outputs.count + 1 { return [background] + outputs }
        let orOneMore = background == nil ? "" : " or \(outputs.count + 1)"
        throw .outputs(expected: "\(outputs.count)\(orOneMore)", found: count)
    }

    private mutating func add(_ line: Substring, number: Int) throws(ModelError) {
        let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard columns.count >= 3, !columns[1].isEmpty, ["yes", "no"].contains(columns[2]) else {
            throw malformed(number, "expected outputs, a label and yes or no, between tabs")
        }
        let label = ModelManifest.Label(
            id: String(columns[1]),
            key: nil,
            names: [:],
            isSubject: columns[2] == "yes",
            isNamed: true
        )
        guard columns[0] != "background" else {
            background = label
            return
        }
        let ends = columns[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard ends.count <= 2, ends.first == outputs.count, let last = ends.last ?? nil,
            (outputs.count..<100_000).contains(last)
        else { throw malformed(number, "expected outputs from \(outputs.count) on, found \(columns[0])") }
        outputs += Array(repeating: label, count: last - outputs.count + 1)
    }

    private func malformed(_ line: Int, _ reason: String) -> ModelError {
        .labelMap(name: name, reason: "line \(line): \(reason)")
    }
}
