import Domain
import OpenStreetMap
import Testing

@Suite("Overpass JSON files")
struct OverpassTests {
    static func answer(_ elements: String, _ rest: String = "") -> String {
        #"{"version":0.6,"generator":"Overpass API","elements":[\#(elements)]\#(rest)}"#
    }

    static let square = """
        {"type":"node","id":1,"lat":45,"lon":9},{"type":"node","id":2,"lat":45,"lon":9.2},
        {"type":"node","id":3,"lat":45.2,"lon":9.2},{"type":"node","id":4,"lat":45.2,"lon":9}
        """

    static let vetWay = #"{"type":"way","id":5,"nodes":[1,2,3,4,1],"tags":{"amenity":"veterinary","name":"Vet"}}"#

    @Test("Ways whose nodes come after them are read")
    func memberNodes() throws {
        let extract = try read(Self.answer(Self.vetWay + "," + Self.square))
        let point = try #require(extract.points.first)
        #expect(point.element == .init(type: .way, id: 5))
        #expect(point.name == "Vet")
        #expect((9.0...9.2).contains(point.coordinate.lon) && (45.0...45.2).contains(point.coordinate.lat))
        #expect(extract.points.count == 1)
    }

    @Test("Ways and relations are read with their center")
    func center() throws {
        let extract = try read(
            Self.answer(
                """
                {"type":"way","id":5,"center":{"lat":45.5,"lon":9.5},"nodes":[1,2],"tags":{"shop":"pet"}},
                {"type":"relation","id":6,"center":{"lat":46.5,"lon":9.5},"tags":{"leisure":"dog_park"}}
                """
            )
        )
        #expect(extract.points.map(\.coordinate.lat) == [45.5, 46.5])
    }

    @Test("Ways and relations are read with their geometry")
    func geometry() throws {
        let ring = #"[{"lat":45,"lon":9},{"lat":45,"lon":9.2},{"lat":45.2,"lon":9.2},{"lat":45,"lon":9}]"#
        let extract = try read(
            Self.answer(
                """
                {"type":"way","id":5,"nodes":[1,2,3,1],"geometry":\(ring),"tags":{"shop":"pet"}},
                {"type":"relation","id":6,"tags":{"type":"multipolygon","leisure":"dog_park"},
                "members":[{"type":"way","ref":9,"role":"outer","geometry":\(ring)}]}
                """
            )
        )
        #expect(extract.points.map(\.category) == [.petShop, .dogPark])
        #expect(extract.points.allSatisfy { $0.coordinate.lat > 45 && $0.coordinate.lat < 45.2 })
    }

    @Test("Incomplete ways, positions out of range and malformed elements are counted as skipped")
    func skipping()
        throws
    {
        let extract = try read(
            Self.answer(
                """
                \(Self.vetWay),{"type":"node","id":8,"lat":91,"lon":9,"tags":{"shop":"pet"}},
                {"type":"node","id":1,"lat":45,"lon":9},5,{"type":"area","id":3},{"type":"node","id":"x"},
                {"type":"node","id":12},{"type":"relation","id":7,"members":[],"tags":{"type":"site","shop":"pet"}}
                """
            )
        )
        #expect(extract.points.isEmpty)
        #expect(extract.skipped == skipped(malformed: 4, incomplete: 1, withoutGeometry: 1, outOfRange: 1))
    }

    @Test("The answer of a query that was aborted is rejected, because it is incomplete")
    func runtimeError() throws {
        let remark = #","remark":"runtime error: Query timed out in \"query\" at line 1 after 25 seconds.""#
        #expect(try failure(Self.answer(Self.square, remark))?.contains("Query timed out") == true)
    }

    @Test("A file that is truncated at any point is rejected")
    func truncation() throws {
        let bytes = Array(Self.answer(Self.vetWay + "," + Self.square).utf8)
        for count in 0..<bytes.count {
            #expect(try failure(bytes.prefix(count)) != nil, "cut at \(count)")
        }
    }

    @Test("The last of several elements with the same id is used, even if it is not a point of interest")
    func duplicates() throws {
        let old = #"{"type":"node","id":1,"lat":45,"lon":9,"tags":{"shop":"pet","name":"Old"}}"#
        let new = #"{"type":"node","id":1,"lat":46,"lon":9,"tags":{"shop":"pet","name":"New"}}"#
        let gone = #"{"type":"node","id":1,"lat":46,"lon":9,"tags":{"shop":"bakery"}}"#
        #expect(try read(Self.answer("\(old),\(new)")).points.map(\.name) == ["New"])
        #expect(try read(Self.answer("\(old),\(gone)")).points.isEmpty)
        let way = #"{"type":"way","id":1,"center":{"lat":46,"lon":9},"tags":{"shop":"pet"}}"#
        #expect(try read(Self.answer("\(old),\(way),\(way)")).points.count == 2)
    }
}
