import Domain
import Foundation
import Gazetteer
import Geodata
import Storage
import TestSupport
import Testing

@Suite("Boundaries of Italy", .enabled(if: SharedData.isAvailable, Comment(rawValue: SharedData.absence)))
struct RealBoundariesTests {
    @Test("With the comuni of 2023 imported, nearly every answer is right")
    func comuni() async throws {
        let files = try Files()
        let board = try await TestDatabase()
        let places = PlaceStore(board.database)
        let url = files.folder.url.appending(path: "comuni.geojson")
        try unpack(SharedData.url("geo/italy/it_comuni_exact_2023.geojson.xz"), to: url)
        let map = [
            "comune=name", "comune_code=catasto", "province=prov_name", "province_code=prov", "region=reg",
        ]
        #expect(try await places.put(url, map, set: ["country_code=IT"]) == 7_899)
        let gazetteer = try Gazetteer(directory: Geodata.directory, imported: places)
        for file in ["truth_reverse_it.csv", "truth_reverse_it_settle.csv", "truth_reverse_it_popw.csv"] {
            let truth = try String(contentsOf: SharedData.url("geo/truth/\(file)"), encoding: .utf8)
            for row in try gazetteer.accuracy(onTruth: truth) {
                print("\(row.kind): \(row.comune) of \(row.points) comuni right")
                #expect(row.points >= 1_000)
                #expect(Double(row.comune) >= 0.999 * Double(row.points))
                #expect(Double(row.region) >= 0.999 * Double(row.points))
            }
        }
        #expect(try await board.database.check().isSound)
    }

    @Test("Simplified comuni with degenerate islands are imported completely, and most answers are right")
    func simplified() async throws {
        let files = try Files()
        let board = try await TestDatabase()
        let places = PlaceStore(board.database)
        let url = files.folder.url.appending(path: "comuni.geojson")
        try unpack(SharedData.url("geo/italy/it_comuni_simpl400m.geojson.xz"), to: url)
        let map = ["comune=name", "comune_code=catasto", "province_code=prov"]
        #expect(try await places.put(url, map, set: ["country_code=IT"]) == 7_899)
        let gazetteer = try Gazetteer(directory: Geodata.directory, imported: places)
        let truth = try String(contentsOf: SharedData.url("geo/truth/truth_reverse_it.csv"), encoding: .utf8)
        let accuracy = try gazetteer.accuracy(onTruth: truth)
        // A plain loop over the polygons of the file gives 96.6 % inside and 83.3 % near borders.
        for (kind, share) in [("interior", 0.965), ("border", 0.833)] {
            let row = try #require(accuracy.first { $0.kind.contains(kind) })
            #expect(Double(row.comune) >= share * Double(row.points), "\(row.kind): \(row.comune) of \(row.points)")
        }
    }

    private func unpack(_ packed: URL, to url: URL) throws {
        try Data().write(to: url)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["xz", "-dc", packed.path]
        process.standardOutput = try FileHandle(forWritingTo: url)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "xz unpacks the boundaries")
    }
}
