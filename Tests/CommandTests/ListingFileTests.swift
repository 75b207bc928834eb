import CSV
import Foundation
import Storage
import TestSupport
import Testing

@Suite("Listing files")
struct ListingFileTests {
    private static let listings = """
        id,status,lon,lat,place,location_precision
        sea,lost,14.35,40.48,,approximate
        sea-exact,lost,14.45,40.48,,exact
        desert,lost,10.5,24.1,,exact
        country,lost,12.1,42.1,Italy,exact
        country-hidden,lost,12.2,42.2,Italy,approximate
        south,lost,-71.35,-41.0,,exact
        equator,lost,36.8,-0.00002,,exact
        known-town,lost,,,Fisciano,
        imported-town,lost,,,Somewhere,

        """

    private static func program() throws -> Program {
        let program = try Program()
        #expect(try program.run("accounts", "add", "s@example.org").status == 0)
        return program
    }

    @Test("Exported listings import into a folder whose gazetteer knows less", arguments: ["csv", "geojson"])
    func roundTrip(format: String) async throws {
        let program = try Self.program()
        let areas = try program.write(
            """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"NAME": "Somewhere"}, "geometry":
            {"type": "Polygon", "coordinates": [[[14.1, 40.44], [14.3, 40.44], [14.3, 40.48], [14.1, 40.48], [14.1, 40.44]]]}}]}
            """,
            "areas.geojson"
        )
        #expect(try program.run("gazetteer", "import", areas, "--map", "comune=NAME").status == 0)
        let file = try program.write(Self.listings, "in.csv")
        #expect(try program.run("listings", "import", file, "--owner", "s@example.org").output.hasPrefix("9 created"))
        let export = try program.run("listings", "export", "--format", format).output
        let other = try Self.program()
        let copy = try other.write(export, "copy")
        let imported = try other.run("listings", "import", copy, "--owner", "s@example.org")
        #expect(imported.output.hasPrefix("9 created") && imported.errors.isEmpty)
        let before = try Self.rows(program)
        let after = try Self.rows(other)
        #expect(before.count == 9 && Set(after.keys) == Set(before.keys))
        for (reference, row) in before { #expect(after[reference] == row, "\(reference)") }
        // The point of a town does not become the exact point of an animal.
        let towns = try await DatabaseFile(directory: other.folder.url).read { db in
            try db.values("SELECT reference FROM listing WHERE approximate AND exact_lon IS NULL") as [String]
        }
        #expect(towns == ["known-town"])
    }

    /// The point, the precision and the place of each listing, by its reference.
    private static func rows(_ program: Program) throws -> [String: [String?]] {
        var reader = try CSVReader(Data(try program.run("listings", "export", "--format", "csv").output.utf8))
        var rows: [String: [String?]] = [:]
        while let row = try reader.next() {
            rows[row["reference"] ?? ""] = ["lon", "lat", "location_precision", "place"].map { row[$0] }
        }
        return rows
    }
}
