import Domain
import Foundation
import Gazetteer
import Geodata
import RandomSupport

/// Measures the gazetteer within the process.
struct GazetteerBench {
    private static let points = 100_000
    private static let names = [
        "M", "Fi", "Fisciano", "Lancusi", "S. Giovanni", "Reggio nell'Emilia", "Milan", "84084", "Fisciano, SA",
        "Fisciano Salerno", "Firense", "Castelamare di Stabbia", "San Giovani Rotndo", "Xqzzywvut", "di la de",
    ]
    private let gazetteer: Gazetteer

    init() throws {
        gazetteer = try Gazetteer(directory: Geodata.directory)
    }

    func opening() throws {
        let clock = ContinuousClock()
        let times = try (0..<50).map { _ in
            try clock.measure { _ = try Gazetteer(directory: Geodata.directory) }
        }
        report("open", times.sorted()[25] / 1, unit: "ms", scale: 1e-15)
    }

    func reverseGeocoding() throws {
        var random = SeededGenerator(seed: 1)
        let italy = scatter(8.0...17, 38.0...46.5, &random)
        let answers = try italy.map { try gazetteer.reverse($0, language: .italian).place.coordinate }
        let settled = answers.compactMap { seat in
            Coordinate(
                lon: seat.lon + Double.random(in: -0.005...0.005, using: &random),
                lat: seat.lat + Double.random(in: -0.005...0.005, using: &random)
            )
        }
        try measureReverse("near settlements", settled)
        try measureReverse("box of Italy, sea included", italy)
        try measureReverse("world, sea included", scatter(-180.0...180, -90.0...90, &random))
    }

    func searches() throws {
        for name in Self.names { try search(name) }
    }

    private func search(_ text: String) throws {
        let times = try (0..<50).map { _ in
            try ContinuousClock().measure { _ = try gazetteer.search(text, language: .italian, limit: 10) }
        }
        let first = try gazetteer.search(text, language: .italian, limit: 1).first
        let name = first?.locality ?? first?.comune ?? first?.province ?? first?.region ?? first?.country ?? "-"
        report("search \"\(text)\" -> \(name)", times.sorted()[25], unit: "ms", scale: 1e-15)
    }

    private func measureReverse(_ name: String, _ points: [Coordinate]) throws {
        let time = try ContinuousClock().measure {
            for point in points { _ = try gazetteer.reverse(point, language: .italian) }
        }
        report("reverse, \(name)", time / points.count, unit: "us a point", scale: 1e-12)
    }

    private func scatter(
        _ lon: ClosedRange<Double>,
        _ lat: ClosedRange<Double>,
        _ random: inout SeededGenerator
    ) -> [Coordinate] {
        (0..<Self.points).compactMap { _ in
            Coordinate(lon: .random(in: lon, using: &random), lat: .random(in: lat, using: &random))
        }
    }

    /// - Parameter scale: the number of units per attosecond.
    private func report(_ name: String, _ time: Duration, unit: String, scale: Double) {
        let (seconds, attoseconds) = time.components
        let value = (Double(seconds) * 1e18 + Double(attoseconds)) * scale
        print(String(format: "%-60@ %8.3f %@", name as NSString, value, unit as NSString))
    }
}
