import Domain
import OpenStreetMap
import RandomSupport
import Testing

@Suite("OSM XML files")
struct XMLTests {
    static let small = """
        <?xml version="1.0" encoding="UTF-8"?>
        <osm version="0.6"><bounds minlat="45" minlon="9" maxlat="46" maxlon="10"/>
        <node id="1" lat="45" lon="9"/><node id="2" lat="45" lon="9.1"/><node id="3" lat="45.1" lon="9.1"/>
        <node id="4" lat="45.5" lon="9.5"><tag k="amenity" v="veterinary"/><tag k="name" v="Caf&#233; &amp; Vet"/></node>
        <way id="5"><nd ref="1"/><nd ref="2"/><nd ref="3"/><nd ref="1"/><tag k="leisure" v="dog_park"/></way>
        <relation id="6"><member type="way" ref="5" role="outer"/>
        <tag k="type" v="multipolygon"/><tag k="amenity" v="animal_shelter"/></relation>
        </osm>
        """

    @Test("Nodes, ways and multipolygons are read")
    func elements() throws {
        let extract = try read(Self.small)
        #expect(extract.points.map(\.category) == [.veterinary, .dogPark, .animalShelter])
        #expect(extract.points.map(\.element?.id) == [4, 5, 6])
        #expect(extract.points.first?.name == "Café & Vet")
        #expect(extract.skipped.total == 0)
    }

    @Test("Files compressed with gzip are read whatever their name")
    func gzip() throws {
        #expect(try read(gzipped(Self.small.utf8)) == read(Self.small))
    }

    @Test("A file that is truncated at any point is rejected")
    func truncation() throws {
        let bytes = Array(Self.small.utf8)
        for count in 0..<bytes.count {
            #expect(try failure(bytes.prefix(count)) != nil, "cut at \(count)")
        }
    }

    @Test("A file whose gzip data is truncated is rejected")
    func gzipTruncation() throws {
        let bytes = try gzipped(Self.small.utf8)
        for count in 0..<bytes.count {
            #expect(try failure(bytes.prefix(count)) != nil, "cut at \(count)")
        }
        #expect(try failure(bytes.dropLast()) == "is cut short: its gzip data has no end")
    }

    @Test("Changed bytes give a file that is read or an error with a message")
    func mutation() throws {
        let intact = Array(Self.small.utf8)
        var random = SeededGenerator(seed: 7)
        var rejected = 0
        // `Tests/Fuzzing` reads many more files.
        for _ in 0..<300 {
            var bytes = intact
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            if let message = try failure(bytes) {
                rejected += 1
                #expect(!message.isEmpty)
            }
        }
        #expect((1..<300).contains(rejected))
    }

    @Test("Elements without an id or a position are counted, and tags without a value are ignored")
    func malformed() throws {
        let extract = try read(
            """
            <osm><node id="1"><tag k="shop" v="pet"/></node><node lat="1" lon="1"/><way><nd ref="1"/></way>
            <way id="2"><nd/><tag k="shop" v="pet"/></way><node id="3" lat="1" lon="1"><tag k="shop"/><tag/></node>
            <relation id="4"><member ref="1"/></relation></osm>
            """
        )
        #expect(extract == Extract(points: [], skipped: skipped(malformed: 5)))
    }

    @Test("Deleted elements are skipped")
    func deleted() throws {
        let extract = try read(
            """
            <osm><node id="1" visible="false"><tag k="shop" v="pet"/></node>
            <node id="-2" action="delete" lat="1" lon="1"><tag k="shop" v="pet"/></node></osm>
            """
        )
        #expect(extract == Extract())
    }

    @Test("Another root element is rejected", arguments: ["<html/>", "<osmChange><create/></osmChange>"])
    func otherRoot(text: String) throws {
        #expect(try failure(text)?.contains("expected the root element osm") == true)
    }

    @Test("An aborted Overpass query is rejected")
    func runtimeError() throws {
        let text = "<osm><node id='1' lat='1' lon='1'/><remark> runtime error: Query timed out </remark></osm>"
        #expect(try failure(text)?.contains("Query timed out") == true)
        #expect(try failure("<osm><remark>all is well</remark></osm>") == nil)
    }

    @Test("Entities are not expanded without limit")
    func entities() throws {
        let levels = (1...12).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }
        let text = "<!DOCTYPE osm [<!ENTITY e0 \"doggodoggo\">\(levels.joined())]><osm><remark>&e12;</remark></osm>"
        #expect(try failure(text) != nil)
    }
}

func skipped(malformed: Int = 0, incomplete: Int = 0, withoutGeometry: Int = 0, outOfRange: Int = 0) -> Skipped {
    var skipped = Skipped()
    skipped.malformed = malformed
    skipped.incomplete = incomplete
    skipped.withoutGeometry = withoutGeometry
    skipped.outOfRange = outOfRange
    return skipped
}
