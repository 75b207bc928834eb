import Foundation
import Gazetteer
import Geodata
import Testing

/// The truth lies beside the checkout, as its licence differs; without it these tests say so and pass over.
private enum TruthFolder {
    static let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../shared/data/geo/truth").standardizedFileURL
    static var isThere: Bool { FileManager.default.fileExists(atPath: url.path) }
}

@Suite(.enabled(if: TruthFolder.isThere, "needs ../shared/data/geo/truth")) struct AccuracyTests {
    private func measure(_ file: String) throws -> [Accuracy] {
        let text = try String(contentsOf: TruthFolder.url.appendingPathComponent(file), encoding: .utf8)
        let result = try Gazetteer(directory: Geodata.directory).accuracy(onTruth: text)
        for row in result { print(file, row.line) }
        return result
    }

    @Test func `Points inside Italy's comuni are placed better than by the nearest place`() throws {
        let rows = try measure("truth_reverse_it.csv")
        let interior = try #require(rows.first { $0.kind == "interior" })
        #expect(interior.points == 3_000)
        #expect(interior.share(\.comune) >= 0.69)
        #expect(interior.share(\.province) >= 0.97)
        #expect(interior.share(\.region) >= 0.99)
    }

    @Test(arguments: ["truth_reverse_it_settle.csv", "truth_reverse_it_popw.csv"])
    func `Points where people live are placed better still`(file: String) throws {
        for row in try measure(file) {
            #expect(row.share(\.comune) >= 0.68)
            #expect(row.share(\.province) >= 0.97)
        }
    }

    @Test func `Points of the world lie in the right country and region`() throws {
        let world = try #require(try measure("truth_world.csv").first)
        #expect(world.share(\.country) >= 0.99)
        #expect(world.share(\.region) >= 0.80)
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
