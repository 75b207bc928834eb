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
                Takes CSV files with lat and lon and either kind, comune, sigla, provincia and regione (Italy), cc and \
                admin1_ne (the world), or true (a comune's name) or municipality. Beside the gazetteer it shows what \
                the nearest place of the same tables would answer, and how often an answer of each confidence is right.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Flag(help: "Leave out what was imported.") var bundled = false
        @Argument(help: "CSV files with truth.") var files: [String]

        func run() async throws {
            let gazetteer = try bundled ? dataOptions.bundledGazetteer() : dataOptions.gazetteer()
            var rows = [["kind", "points", "answer", "comune %", "province %", "region %", "country %", "us a point"]]
            var measured: [Accuracy] = []
            for file in files {
                let url = try inputFile(file)
                guard let truth = try? String(contentsOf: url, encoding: .utf8) else {
                    throw ServiceError.invalid(file, "expected a CSV file in UTF-8")
                }
                // A first pass loads the pages of the mapped file into memory, so that the measurement excludes this.
                _ = try gazetteer.accuracy(onTruth: truth)
                let methods = try Accuracy.Method.allCases.map { try gazetteer.accuracy(onTruth: truth, method: $0) }
                for kind in methods[0].indices { for method in methods { measured.append(method[kind]) } }
            }
            if output.json {
                for accuracy in measured { printJSON { $0.accuracy(accuracy) } }
                return
            }
            rows += measured.map { accuracy in
                [accuracy.kind, String(accuracy.points), accuracy.method.rawValue]
                    + accuracy.shares.map(Self.percent) + [String(format: "%.1f", accuracy.microseconds)]
            }
            printTable(rows)
            printCalibration(measured.filter { $0.method == .gazetteer && $0.knowsComune })
        }

        /// Prints, for all points of Italy together, the stated confidence of the answers and the share that was
        /// correct.
        private func printCalibration(_ measured: [Accuracy]) {
            guard !measured.isEmpty else { return }
            var rows = [["confidence", "points", "mean", "right %"]]
            for bin in 0..<10 {
                let parts = measured.map { $0.calibration[bin] }
                let (points, right) = (parts.map(\.points).reduce(0, +), parts.map(\.right).reduce(0, +))
                guard points > 0 else { continue }
                rows.append([
                    String(format: "%.1f-%.1f", Double(bin) / 10, Double(bin + 1) / 10), String(points),
                    String(format: "%.3f", parts.map(\.sum).reduce(0, +) / Double(points)),
                    Self.percent(Double(right) / Double(points)),
                ])
            }
            print("")
            printTable(rows)
        }

        private static func percent(_ share: Double?) -> String {
            share.map { String(format: "%.2f", 100 * $0) } ?? "-"
        }
    }
}

extension Accuracy {
    fileprivate var knowsComune: Bool { kind != "world" }

    fileprivate var microseconds: Double { time / .microseconds(1) / Double(max(1, points)) }

    /// The shares of correct answers for comune, province, region and country; nil if the truth does not contain the
    /// level.
    fileprivate var shares: [Double?] {
        let hasAreas = !["named", "municipality"].contains(kind)
        let known = [knowsComune, knowsComune && hasAreas, hasAreas, kind != "municipality"]
        return zip(known, [comune, province, region, country]).map { known, count in
            known ? Double(count) / Double(max(1, points)) : nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func accuracy(_ accuracy: Accuracy) {
        object { json in
            json.field("kind", accuracy.kind)
            json.field("points", accuracy.points)
            json.field("method", accuracy.method.rawValue)
            for (name, share) in zip(["comune", "province", "region", "country"], accuracy.shares) {
                json.field(named: name, share, decimals: 4)
            }
            json.field("microseconds_per_point", accuracy.microseconds, decimals: 2)
            json.objects("calibration", accuracy.calibration.filter { $0.points > 0 }) { json, bin in
                json.field("points", bin.points)
                json.field("confidence", bin.sum / Double(bin.points), decimals: 4)
                json.field("right", Double(bin.right) / Double(bin.points), decimals: 4)
            }
        }
    }
}
