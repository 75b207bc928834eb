import ArgumentParser
import CSV
import Domain
import Formats
import Foundation
import Gazetteer

extension ReverseAnswer {
    var jsonLine: String {
        var json = JSONWriter()
        json.answer(place, alternatives: alternatives)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension GazetteerCommand {
    struct Evaluate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Measure the gazetteer on points whose place is known.",
            discussion: """
                Takes CSV files with the columns lat and lon and, as far as they are known, comune, sigla (the sign of \
                the province), regione and cc (the country); rows are grouped by the column kind.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @Argument(help: "CSV files with truth.") var files: [String]

        func run() async throws {
            let gazetteer = try dataOptions.gazetteer()
            var rows = [["points", "n", "comune %", "province %", "region %", "country %", "us a point"]]
            for file in files {
                var groups: [String: Accuracy] = [:]
                var reader = try CSVReader(FileHandle(forReadingFrom: URL(filePath: file)))
                while let row = try reader.next() {
                    guard let lon = row["lon"].flatMap(Double.init), let lat = row["lat"].flatMap(Double.init),
                        let point = Coordinate(lon: lon, lat: lat)
                    else { throw ServiceError.invalid(file, "line \(row.line): expected numbers in lon and lat") }
                    let kind = row["kind"] ?? URL(filePath: file).deletingPathExtension().lastPathComponent
                    let clock = ContinuousClock()
                    let start = clock.now
                    let place = gazetteer.reverse(point, language: .english, alternatives: 0).place
                    groups[kind, default: Accuracy()].add(row, place, took: clock.now - start)
                }
                rows += groups.sorted { $0.key < $1.key }.map { [$0.key] + $0.value.cells }
            }
            printTable(rows)
        }
    }
}

/// Counts of right answers, each among those whose truth is known.
private struct Accuracy {
    private var total = 0
    private var right: [String: Int] = [:]
    private var known: [String: Int] = [:]
    private var time = Duration.zero

    mutating func add(_ row: CSVRow, _ place: Place, took: Duration) {
        total += 1
        time += took
        count("comune", row["comune"], place.comune.map { name in Set([name]) })
        count("province", row["sigla"], place.provinceCode.map { code in Set([code]) })
        // Aosta's valley and South Tyrol go by names in two languages.
        count(
            "region",
            row["regione"],
            place.region.map { name in Set([name] + name.split(separator: "/").map(String.init)) }
        )
        count("country", row["cc"], place.countryCode.map { code in Set([code]) })
    }

    private mutating func count(_ level: String, _ truth: String?, _ answers: Set<String>?) {
        guard let truth, !truth.isEmpty else { return }
        known[level, default: 0] += 1
        let names = Set(truth.split(separator: "/").map(\.folded) + [truth.folded])
        if let answers, answers.contains(where: { names.contains($0.folded) }) { right[level, default: 0] += 1 }
    }

    var cells: [String] {
        let shares = ["comune", "province", "region", "country"].map { level in
            guard let known = known[level] else { return "-" }
            return String(format: "%.2f", 100 * Double(right[level] ?? 0) / Double(known))
        }
        return [String(total)] + shares + [String(format: "%.1f", time / .microseconds(1) / Double(max(1, total)))]
    }
}
