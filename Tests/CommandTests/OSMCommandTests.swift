import Foundation
import Testing

@Suite("Extracts of OpenStreetMap on the command line")
struct OSMCommandTests {
    /// A street with a vet.
    static let village = """
        <osm version="0.6">
        <node id="1" lon="14.79" lat="40.77"/><node id="2" lon="14.80" lat="40.77"/>
        <node id="3" lon="14.795" lat="40.7701"><tag k="amenity" v="veterinary"/><tag k="name" v="Dottoressa Rossi"/>
        <tag k="addr:street" v="Via Roma"/><tag k="addr:housenumber" v="12"/></node>
        <way id="1"><nd ref="1"/><nd ref="2"/><tag k="highway" v="residential"/><tag k="name" v="Via Roma"/></way>
        </osm>
        """

    @Test("An extract is imported, listed, replaced and removed with its points of interest")
    func extract() throws {
        let program = try Program()
        let file = try program.write(Self.village, "village-latest.osm")
        for _ in 0..<2 {
            let imported = try program.run("osm", "import", file)
            #expect(imported.status == 0, "\(imported.errors)")
            #expect(imported.output.contains("1 house number, 1 points of interest"), "\(imported.output)")
        }
        #expect(try program.run("osm", "list").output == "village\n")
        #expect(try program.run("pois", "count").output.contains("veterinary"))
        let json = try program.run("osm", "import", file, "--name", "other", "--json").output
        #expect(json.contains(#""name":"other""#) && json.contains(#""addresses":1"#))
        #expect(try program.run("osm", "list", "--json").output.contains(#"["other","village"]"#))
        for name in ["village", "other"] {
            #expect(try program.run("osm", "remove", name).status == 0)
        }
        #expect(try program.run("osm", "list").output.isEmpty)
        #expect(try !program.run("pois", "count").output.contains("veterinary 1"))
    }

    @Test("What cannot be imported or removed is named, and nothing changes")
    func errors() throws {
        let program = try Program()
        let good = try program.write(Self.village, "village.osm")
        #expect(try program.run("osm", "import", good).status == 0)
        let unsorted = try program.write(
            Self.village.replacing(#"<node id="2""#, with: #"<node id="5""#),
            "village-latest.osm"
        )
        let json = try program.write(#"{"type":"FeatureCollection","features":[]}"#, "village.geojson")
        let empty = try program.write(
            Self.village.replacing(#"<tag k="amenity" v="veterinary"/>"#, with: ""),
            "village.osm.xml"
        )
        for (arguments, message) in [
            (["osm", "import", unsorted], "sorted"), (["osm", "import", json, "--name", "new"], "pois import"),
            (["osm", "import", empty], "holds none of our places"),
            (["osm", "import", good, "--name", "../other"], "letters"), (["osm", "remove", "other"], "other"),
        ] {
            let refused = try program.run(arguments, data: program.folder.url)
            #expect(refused.status != 0 && refused.errors.contains(message), "\(arguments) \(refused.errors)")
        }
        #expect(try program.run("osm", "list").output == "village\n")
        let maps = program.folder.url.appending(path: "maps").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: maps) == ["village.sqlite"])
    }
}
