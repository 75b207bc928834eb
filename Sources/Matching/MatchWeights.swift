import Domain
import Foundation

/// The weights of the results of comparisons, in bits.
package struct MatchWeights: Equatable, Sendable {
    /// The weights of all results of all kinds, in the order of `MatchLevels.starts`.
    var bits: [Double]
    /// The share of a shared breed's rarity that counts.
    package var rarity: Double
    /// The rarity, in bits, at which the weights of shared breeds hold.
    package var usualRarity: Double
    /// The share of the crowding around a place that counts; see `MatchCrowding`.
    package var crowding: Double
    package var calibration: MatchCalibration

    /// An error in a table of weights, with its line number, counted from 1.
    package struct TableError: Error, Equatable, CustomStringConvertible {
        package let line: Int
        package let message: String

        package var description: String { "weights, line \(line): \(message)" }
    }

    /// The weights that come with the program.
    package static let standard = bundled("weights")

    /// Those for two listings of the same side. The one whose animal was seen first stands for the lost one.
    package static let ofSameSide = bundled("weights-same-side")

    private static func bundled(_ table: String) -> MatchWeights {
        do {
            return try MatchWeights(tsv: String(decoding: Bundle.module.table(table).bytes, as: UTF8.self))
        } catch {
            preconditionFailure("\(table): \(error)")
        }
    }

    /// Weights by which all results are alike.
    static let none = MatchWeights(
        bits: Array(repeating: 0, count: MatchLevels.starts.last ?? 0),
        rarity: 0,
        usualRarity: 0,
        crowding: 0,
        calibration: MatchCalibration(scale: 1, none: 0)
    )

    package subscript(kind: EvidenceKind, level: String) -> Double? {
        MatchLevels.names(kind).firstIndex(of: level).map { self[kind, $0] }
    }

    subscript(kind: EvidenceKind, level: Int) -> Double {
        get { bits[MatchLevels.starts[MatchLevels.index(kind)] + level] }
        set { bits[MatchLevels.starts[MatchLevels.index(kind)] + level] = newValue }
    }
}

/// The table: the columns kind, level and bits. Rows of the kind `parameter` hold the other values.
extension MatchWeights {
    private static let parameters: [(name: String, path: any WritableKeyPath<MatchWeights, Double> & Sendable)] = [
        ("rarity", \.rarity), ("usual_rarity", \.usualRarity), ("crowding", \.crowding),
        ("scale", \.calibration.scale), ("none", \.calibration.none),
    ]

    package var tsv: String {
        var lines = ["kind\tlevel\tbits"]
        for kind in EvidenceKind.allCases where kind != .likeness {
            for (index, level) in MatchLevels.names(kind).enumerated() {
                lines.append("\(kind.rawValue)\t\(level)\t\(String(format: "%.2f", self[kind, index]))")
            }
        }
        lines += Self.parameters.map { "parameter\t\($0.name)\t\(String(format: "%.3f", self[keyPath: $0.path]))" }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Every level and parameter must be in the table.
    package init(tsv: String) throws(TableError) {
        self = .none
        var missing = Set(Self.parameters.map { "parameter \($0.name)" })
        // Tables of earlier versions do not have it, and its weights are not in the table.
        for kind in EvidenceKind.allCases where kind != .likeness {
            missing.formUnion(MatchLevels.names(kind).map { "\(kind.rawValue) \($0)" })
        }
        for (index, line) in tsv.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            guard index > 0, !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix("kind\t") else { continue }
            let row = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard row.count == 3, let value = Double(row[2]), abs(value) <= 100 else {
                throw TableError(line: index + 1, message: "expected kind, level and a number between -100 and 100")
            }
            guard set(row[0], row[1], value) else {
                throw TableError(line: index + 1, message: "\(row[0]) has no level \(row[1])")
            }
            missing.remove("\(row[0]) \(row[1])")
        }
        if let first = missing.min() { throw TableError(line: 1, message: "the row \(first) is missing") }
    }

    private mutating func set(_ kind: String, _ level: String, _ value: Double) -> Bool {
        if kind == "parameter" {
            guard let parameter = Self.parameters.first(where: { $0.name == level }) else { return false }
            self[keyPath: parameter.path] = value
            return true
        }
        guard let kind = EvidenceKind(rawValue: kind), let index = MatchLevels.names(kind).firstIndex(of: level) else {
            return false
        }
        self[kind, index] = value
        return true
    }
}
