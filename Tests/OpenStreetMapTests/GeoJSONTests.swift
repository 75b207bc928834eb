import Domain
import OpenStreetMap
import RandomSupport
import Testing

@Suite("GeoJSON files")
struct GeoJSONTests {
    static func collection(_ features: String, _ rest: String = "") -> String {
        #"{"type":"FeatureCollection"\#(rest),"features":[\#(features)]}"#
    }

    static func feature(
        _ properties: String,
        _ geometry: String = #"{"type":"Point","coordinates":[9.5,45.5]}"#,
        id: String? = nil
    ) -> String {
        let id = id.map { #""id":\#($0),"# } ?? ""
        return #"{"type":"Feature",\#(id)"properties":{\#(properties)},"geometry":\#(geometry)}"#
    }

    @Test(
        "The OpenStreetMap element is read from the common notations",
        arguments: [
            (#""@id":"way/123","shop":"pet""#, nil, PointOfInterest.Element(type: .way, id: 123)),
            (#""shop":"pet""#, #""node/5""#, .init(type: .node, id: 5)),
            (#""shop":"pet""#, #""w77""#, .init(type: .way, id: 77)),
            (#""shop":"pet""#, #""a246""#, .init(type: .way, id: 123)),
            (#""shop":"pet""#, #""a247""#, .init(type: .relation, id: 123)),
            (#""@type":"relation","@id":9,"shop":"pet""#, nil, .init(type: .relation, id: 9)),
            (#""type":"node","id":4,"tags":{"shop":"pet"}"#, nil, .init(type: .node, id: 4)),
        ] as [(String, String?, PointOfInterest.Element)]
    )
    func element(properties: String, id: String?, element: PointOfInterest.Element) throws {
        let extract = try read(Self.collection(Self.feature(properties, id: id)))
        #expect(extract.points.map(\.element) == [element])
    }

    @Test(
        "Features from other sources are read without an element",
        arguments: [nil, "17", #""abc""#, #""way/x""#] as [String?]
    )
    func anonymous(id: String?) throws {
        let extract = try read(Self.collection(Self.feature(#""amenity":"veterinary","name":"Vet""#, id: id)))
        #expect(extract.points.map(\.name) == ["Vet"])
        #expect(extract.points.map(\.element) == [nil])
    }

    @Test("Lines and areas give a point inside them")
    func shapes() throws {
        let ring = "[[9,45],[9.2,45],[9.2,45.2],[9,45.2],[9,45]]"
        let hole = "[[9.01,45.01],[9.19,45.01],[9.19,45.19],[9.01,45.19],[9.01,45.01]]"
        let shapes = [
            #"{"type":"Polygon","coordinates":[\#(ring)]}"#,
            #"{"type":"Polygon","coordinates":[\#(ring),\#(hole)]}"#,
            #"{"type":"MultiPolygon","coordinates":[[\#(ring),\#(hole)]]}"#,
            #"{"type":"LineString","coordinates":[[9,45.1],[9.2,45.1]]}"#,
            #"{"type":"MultiPoint","coordinates":[[9.1,45.1]]}"#,
        ]
        for shape in shapes {
            let point = try #require(try read(Self.collection(Self.feature(#""shop":"pet""#, shape))).points.first)
            let (lon, lat) = (point.coordinate.lon, point.coordinate.lat)
            #expect((9.0...9.2).contains(lon) && (45.0...45.2).contains(lat))
            let inHole = (9.01...9.19).contains(lon) && (45.01...45.19).contains(lat)
            #expect(!(shape.contains("9.01") && inHole))
        }
    }

    @Test("The centre of an area that is also present as a point is not counted")
    func areaAndMiddle() throws {
        let area = #"{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]}"#
        let tags = #""@id":"way/1","leisure":"dog_park""#
        let points = try read(Self.collection(Self.feature(tags, area) + "," + Self.feature(tags))).points
        #expect(points.count == 1)
        #expect(points.allSatisfy { $0.coordinate.lon < 1 })
    }

    @Test("Features without a usable geometry are counted as skipped")
    func skipping() throws {
        let tags = #""shop":"pet""#
        let features = [
            Self.feature(tags, "null"), Self.feature(tags, #"{"type":"Point","coordinates":[]}"#),
            Self.feature(tags, #"{"type":"Point","coordinates":[1000000,5000000]}"#),
            Self.feature(tags, #"{"type":"Polygon","coordinates":[]}"#), "7", #"{"type":"Point"}"#,
            Self.feature(#""shop":"bakery""#, "null"),
        ]
        let extract = try read(Self.collection(features.joined(separator: ",")))
        #expect(extract.points.isEmpty)
        #expect(extract.skipped == skipped(malformed: 2, withoutGeometry: 3, outOfRange: 1))
    }

    @Test("Numbers and booleans are accepted as text")
    func looseValues() throws {
        let properties = #""shop":"pet","name":24,"addr:housenumber":7.5,"phone":null,"disused":false,"x":[1],"y":{}"#
        let point = try #require(try read(Self.collection(Self.feature(properties))).points.first)
        #expect(point.name == "24")
        #expect(point.houseNumber == "7.5")
        #expect(point.phone == nil)
    }

    @Test("Reference systems other than WGS 84 are rejected")
    func referenceSystem() throws {
        func crs(_ name: String) -> String { #","crs":{"type":"name","properties":{"name":"\#(name)"}}"# }
        let feature = Self.feature(#""shop":"pet""#)
        #expect(try failure(Self.collection(feature, crs("urn:ogc:def:crs:EPSG::3857")))?.contains("3857") == true)
        #expect(try failure(Self.collection(feature, crs("urn:ogc:def:crs:OGC:1.3:CRS84"))) == nil)
    }

    @Test("Truncated or changed files do not crash the reader")
    func fuzz() throws {
        let bytes = Array(Self.collection(Self.feature(#""shop":"pet","@id":"way/1""#, id: #""way/1""#)).utf8)
        for count in 0..<bytes.count {
            #expect(try failure(bytes.prefix(count)) != nil, "cut at \(count)")
        }
        var random = SeededGenerator(seed: 3)
        // `Tests/Fuzzing` reads many more files.
        for _ in 0..<300 {
            var changed = bytes
            changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            _ = try failure(changed)
        }
    }
}
