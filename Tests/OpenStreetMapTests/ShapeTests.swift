import Domain
import Foundation
import OpenStreetMap
import RandomSupport
import Testing

@Suite("Points of ways and relations")
struct ShapeTests {
    typealias Ring = [(Double, Double)]

    func extract(ways: [Ring], relation: String = "", tagged: Bool = true) throws -> Extract {
        var text = "<osm>"
        for (index, way) in ways.enumerated() {
            let id: ((Double, Double)) -> Int = { Int(($0.0 + 50) * 1000) * 1_000_000 + Int(($0.1 + 50) * 1000) }
            for node in way { text += "<node id='\(id(node))' lon='\(node.0)' lat='\(node.1)'/>" }
            text += "<way id='\(index + 1)'>" + way.map { "<nd ref='\(id($0))'/>" }.joined()
            text += (tagged ? "<tag k='leisure' v='dog_park'/>" : "") + "</way>"
        }
        return try read(text + relation + "</osm>")
    }

    /// Counts edge crossings, which is independent of the tested method.
    func isInside(_ point: Coordinate, _ ring: Ring) -> Bool {
        var inside = false
        for (a, b) in zip(ring, ring.dropFirst()) where (a.1 > point.lat) != (b.1 > point.lat) {
            let crossing = a.0 + (point.lat - a.1) / (b.1 - a.1) * (b.0 - a.0)
            if point.lon < crossing { inside.toggle() }
        }
        return inside
    }

    static let square: Ring = [(0, 0), (3, 0), (3, 3), (0, 3), (0, 0)]
    static let hole: Ring = [(1, 1), (2, 1), (2, 2), (1, 2), (1, 1)]
    static let letterU: Ring = [(0, 0), (3, 0), (3, 3), (2, 3), (2, 1), (1, 1), (1, 3), (0, 3), (0, 0)]
    static let sickle: Ring = [(0, 0), (2, 0.1), (3, 2), (2, 4), (0, 4), (1.9, 3.5), (2.5, 2), (1.9, 0.5), (0, 0)]

    @Test("The point lies inside, also for concave shapes", arguments: [square, letterU, sickle, letterU.reversed()])
    func inside(ring: Ring) throws {
        let point = try #require(try extract(ways: [ring]).points.first)
        #expect(isInside(point.coordinate, ring))
    }

    @Test("A way may run along itself a thousand times")
    func repeatedSegments() throws {
        let rounds = (0..<1000).flatMap { _ in Self.sickle.dropLast() } + [Self.sickle[0]]
        let point = try #require(try extract(ways: [rounds]).points.first)
        #expect(point.coordinate == (try extract(ways: [Self.sickle]).points.first?.coordinate))
    }

    @Test("The point lies inside random star shapes")
    func stars() throws {
        var random = SeededGenerator(seed: 11)
        for _ in 0..<100 {
            var ring: Ring = (0..<12).map { step in
                let angle = Double(step) / 12 * 2 * Double.pi
                let radius = Double.random(in: 1...20, using: &random)
                return ((cos(angle) * radius * 100).rounded() / 100, (sin(angle) * radius * 100).rounded() / 100)
            }
            ring.append(ring[0])
            let point = try #require(try extract(ways: [ring]).points.first)
            #expect(isInside(point.coordinate, ring))
        }
    }

    @Test("The point of an open line is its middle")
    func openLine() throws {
        let point = try #require(try extract(ways: [[(0, 0), (1, 0), (4, 0)]]).points.first)
        #expect(point.coordinate == Coordinate(lon: 2, lat: 0))
    }

    @Test(
        "The point of a degenerate ring lies on it",
        arguments: [[(1, 2)], [(1, 2), (1, 2)], [(1, 2), (3, 2), (1, 2)], [(1, 2), (2, 2), (3, 2), (1, 2)]] as [Ring]
    )
    func degenerate(ring: Ring) throws {
        let point = try #require(try extract(ways: [ring]).points.first)
        #expect(point.coordinate.lat == 2 && (1.0...3.0).contains(point.coordinate.lon))
    }

    @Test("The point of a ring that crosses itself lies in one of its parts")
    func bowTie() throws {
        let ring: Ring = [(0, 0), (2, 2), (2, 0), (0, 2), (0, 0)]
        let point = try #require(try extract(ways: [ring]).points.first)
        #expect(isInside(point.coordinate, ring))
    }

    static func multipolygon(_ members: String, type: String = "multipolygon") -> String {
        "<relation id='9'>\(members)<tag k='type' v='\(type)'/><tag k='shop' v='pet'/></relation>"
    }

    @Test("The point of a multipolygon lies outside its holes")
    func hole() throws {
        let members = "<member type='way' ref='1' role='outer'/><member type='way' ref='2' role='inner'/>"
        let extract = try extract(
            ways: [Self.square, Self.hole],
            relation: Self.multipolygon(members),
            tagged: false
        )
        let point = try #require(extract.points.first)
        #expect(point.element == .init(type: .relation, id: 9))
        #expect(isInside(point.coordinate, Self.square) && !isInside(point.coordinate, Self.hole))
    }

    @Test("The rings of a multipolygon are joined from ways in any direction")
    func pieces() throws {
        let members = (1...3).map { "<member type='way' ref='\($0)' role='outer'/>" }.joined()
        let ways = [Array(Self.letterU[0...3]), Array(Self.letterU[3...6].reversed()), Array(Self.letterU[6...8])]
        let extract = try extract(ways: ways, relation: Self.multipolygon(members), tagged: false)
        let point = try #require(extract.points.first)
        #expect(isInside(point.coordinate, Self.letterU))
    }

    @Test("Relations with missing members, open rings or another type have no point")
    func unresolved() throws {
        let outer = "<member type='way' ref='1' role='outer'/>"
        let missing = outer + "<member type='way' ref='77' role='outer'/>"
        func result(_ ways: [Ring], _ relation: String) throws -> Extract {
            try extract(ways: ways, relation: relation, tagged: false)
        }
        #expect(
            try result([Self.square], Self.multipolygon(missing))
                == Extract(points: [], skipped: skipped(incomplete: 1))
        )
        #expect(
            try result([[(0, 0), (1, 0), (1, 1)]], Self.multipolygon(outer))
                == Extract(points: [], skipped: skipped(withoutGeometry: 1))
        )
        #expect(
            try result([Self.square], Self.multipolygon(outer, type: "site"))
                == Extract(points: [], skipped: skipped(withoutGeometry: 1))
        )
    }

    @Test("Ways without nodes or with missing nodes have no point")
    func missingNodes() throws {
        let text = """
            <osm><node id='1' lat='1' lon='1'/><node id='2' lat='99' lon='1'/>
            <way id='1'><nd ref='1'/><nd ref='3'/><tag k='shop' v='pet'/></way>
            <way id='2'><nd ref='1'/><nd ref='2'/><tag k='shop' v='pet'/></way>
            <way id='3'><tag k='shop' v='pet'/></way></osm>
            """
        #expect(try read(text) == Extract(points: [], skipped: skipped(incomplete: 3)))
    }
}
