import ArgumentParser
import Domain
import Formats
import Foundation
import Gazetteer

extension ReverseAnswer {
    var jsonLine: String {
        var json = JSONWriter()
        json.answer(place, alternatives: alternatives)
        return json.text
    }
}

extension GazetteerCommand {
    struct Evaluate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Measure the gazetteer on points whose place is known.",
            discussion: """
                Takes CSV files with lat and lon and either kind, comune, sigla, provincia and regione (Italy) or cc and \
                admin1_ne (the world).
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Argument(help: "CSV files with truth.") var files: [String]

        func run() async throws {
            let gazetteer = try dataOptions.gazetteer()
            var rows = [["points", "n", "comune %", "province %", "region %", "country %"]]
            for file in files {
                guard let truth = try? String(contentsOf: URL(filePath: file), encoding: .utf8) else {
                    throw ServiceError.invalid(file, "cannot be read")
                }
                for accuracy in try gazetteer.accuracy(onTruth: truth) {
                    if output.json { printJSON { $0.accuracy(accuracy) } }
                    rows.append([accuracy.kind, String(accuracy.points)] + accuracy.shares.map(Self.percent))
                }
            }
            if !output.json { printTable(rows) }
        }

        private static func percent(_ share: Double?) -> String {
            share.map { String(format: "%.2f", 100 * $0) } ?? "-"
        }
    }
}

extension Accuracy {
    /// Of comune, province, region and country; nil for what the world's truth does not tell.
    fileprivate var shares: [Double?] {
        let isWorld = kind == "world"
        return [isWorld ? nil : comune, isWorld ? nil : province, region, country].map { count in
            count.map { Double($0) / Double(max(1, points)) }
        }
    }
}

extension JSONWriter {
    fileprivate mutating func accuracy(_ accuracy: Accuracy) {
        object { json in
            json.field("points", accuracy.kind)
            json.field("n", accuracy.points)
            for (name, share) in zip(["comune", "province", "region", "country"], accuracy.shares) {
                json.field(named: name, share, decimals: 4)
            }
        }
    }
}
