import Foundation
import Gazetteer
import Geodata
import Testing

/// The reference data are stored outside the repository because of their licence. Without them, these tests are
/// skipped.
private enum TruthFolder {
    static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/data/geo/truth").standardizedFileURL
    static var isThere: Bool { FileManager.default.fileExists(atPath: url.path) }
}

@Suite("Gazetteer accuracy", .enabled(if: TruthFolder.isThere, "needs ../shared/data/geo/truth"))
struct AccuracyTests {
    private func measure(_ file: String) throws -> [Accuracy] {
        let text = try String(contentsOf: TruthFolder.url.appendingPathComponent(file), encoding: .utf8)
        let result = try Gazetteer(directory: Geodata.directory).accuracy(onTruth: text)
        for row in result { print(file, row.line) }
        return result
    }

    @Test("Points in Italian comuni are located better than by the nearest place")
    func comuni() throws {
        let rows = try measure("truth_reverse_it.csv")
        let interior = try #require(rows.first { $0.kind == "interior" })
        #expect(interior.points == 3_000)
        #expect(interior.share(\.comune) >= 0.93)
        #expect(interior.share(\.province) >= 0.99)
        #expect(interior.share(\.region) >= 0.997)
        #expect(interior.share(\.country) >= 0.999)
        let border = try #require(rows.first { $0.kind == "border" })
        #expect(border.points == 1_000)
        #expect(border.share(\.comune) >= 0.75)
    }

    @Test(
        "Points where people live are located as accurately",
        arguments: [("truth_reverse_it_settle.csv", 0.95), ("truth_reverse_it_popw.csv", 0.93)]
    )
    func inhabitedPoints(file: String, comune: Double) throws {
        let row = try #require(try measure(file).first)
        #expect(row.points == 1_000)
        #expect(row.share(\.comune) >= comune)
        #expect(row.share(\.province) >= 0.99)
    }

    @Test("Points all over the world are assigned to the right country")
    func countries() throws {
        let world = try #require(try measure("truth_world.csv").first)
        #expect(world.points == 300)
        #expect(world.share(\.country) >= 0.995)
        // Natural Earth's Bayern is GeoNames' Bavaria: a name in another language counts as wrong.
        #expect(world.share(\.region) >= 0.80)
    }

    @Test("The share of correct answers at a confidence is about that confidence")
    func confidence() throws {
        let files = ["truth_reverse_it.csv", "truth_reverse_it_settle.csv", "truth_reverse_it_popw.csv"]
        let bins = try files.flatMap(measure).flatMap(\.calibration).filter { $0.points > 0 }
        for level in [0.5..<0.7, 0.7..<0.9, 0.9..<1.01] {
            let part = bins.filter { level.contains($0.sum / Double($0.points)) }
            let points = Double(part.map(\.points).reduce(0, +))
            let right = Double(part.map(\.right).reduce(0, +)) / points
            let stated = part.map(\.sum).reduce(0, +) / points
            #expect(abs(right - stated) < 0.07, "\(level): stated \(stated), right \(right) of \(points)")
        }
    }
}

@Suite("Reference data")
struct ReferenceDataTests {
    @Test(
        "A malformed file of reference data is an error",
        arguments: ["", "lat,lon\n1", "lat,lon,regione\n91,0,Lazio", "lat,lon,regione\nx,0,Lazio"]
    )
    func malformedTruth(csv: String) throws {
        let gazetteer = try Gazetteer(directory: Geodata.directory)
        #expect(throws: GazetteerError.self) { _ = try gazetteer.accuracy(onTruth: csv) }
    }
}

extension Accuracy {
    fileprivate func share(_ level: KeyPath<Accuracy, Int>) -> Double {
        Double(self[keyPath: level]) / Double(max(1, points))
    }

    fileprivate var line: String {
        let shares = [share(\.comune), share(\.province), share(\.region), share(\.country)]
        let text = shares.map { String(format: "%.2f", $0 * 100) }.joined(separator: " ")
        return "\(kind) n=\(points) comune province region country: \(text)"
    }
}
