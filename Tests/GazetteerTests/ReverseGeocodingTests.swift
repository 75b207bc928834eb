import Domain
import Foundation
import Geodata
import Testing

@testable import Gazetteer

@Suite("Reverse geocoding")
struct ReverseGeocodingTests {
    private let gazetteer: Gazetteer

    init() throws {
        gazetteer = try Gazetteer(directory: Geodata.directory)
    }

    private func answer(_ lon: Double, _ lat: Double, _ language: Language = .italian) throws -> ReverseAnswer {
        try gazetteer.reverse(try #require(Coordinate(lon: lon, lat: lat)), language: language, alternatives: 3)
    }

    @Test(
        "The mainland of a country has islands nearby, and no land far away",
        arguments: [
            ("FR", -5.2, 41.3, 9.6, 51.1), ("ES", -9.3, 35.3, 4.4, 43.8), ("US", -124.8, 24.5, -66.9, 49.4),
            ("NL", 3.3, 50.7, 7.2, 53.6), ("IT", 6.6, 35.5, 18.5, 47.1), ("GB", -8.6, 49.9, 1.8, 60.9),
        ]
    )
    func mainland(code: String, west: Double, south: Double, east: Double, north: Double) throws {
        let box = try #require(gazetteer.mainland(of: code))
        let sides = [box.southWest.lon, box.southWest.lat, box.northEast.lon, box.northEast.lat]
        #expect(zip(sides, [west, south, east, north]).allSatisfy { abs($0 - $1) < 0.5 }, "\(box.text)")
        #expect(gazetteer.mainland(of: "XX") == nil)
    }

    @Test("A point in a comune is described down to the postal code")
    func comune() throws {
        let place = try answer(14.7947, 40.7718).place
        #expect(place.comune == "Fisciano")
        #expect(place.comuneCode == "D615")
        #expect(place.locality == nil)
        #expect(place.province == "Salerno")
        #expect(place.provinceCode == "SA")
        #expect(place.region == "Campania")
        #expect(place.country == "Italia")
        #expect(place.countryCode == "IT")
        #expect(place.postalCode == "84084")
        #expect(try #require(place.distance) < 100)
        #expect(try #require(place.confidence) > 0.9)
    }

    @Test(
        "A point in a country whose municipalities are known is in its municipality, which is found by its name, too",
        arguments: [
            (6.35373, 48.97332, "Luppy", "FR"), (-0.8161, 45.01108, "Castelnau-de-Médoc", "FR"),
            (15.4395, 47.0707, "Graz", "AT"), (-46.6333, -23.55, "São Paulo", "BR"),
            (-61.5, -4.5, "Beruri", "BR"),
        ]
    )
    func municipality(lon: Double, lat: Double, name: String, country: String) throws {
        let place = try answer(lon, lat).place
        #expect(place.comune == name && place.countryCode == country && place.locality == nil)
        #expect(try #require(place.confidence) > 0.5)
        guard case .town(let found) = try gazetteer.town(named: place.fullName, language: .italian) else {
            Issue.record("\(place.fullName) is not found")
            return
        }
        #expect(found.comune == name && found.coordinate == place.coordinate)
    }

    @Test("A point near a hamlet has the hamlet and its comune")
    func hamlet() throws {
        let place = try answer(14.785, 40.761).place
        #expect(place.locality == "Lancusi-Penta-Bolano")
        #expect(place.comune == "Fisciano")
    }

    @Test("The country's name is in the requested language")
    func language() throws {
        #expect(try answer(11.5755, 48.1374, .italian).place.country == "Germania")
        #expect(try answer(11.5755, 48.1374, .english).place.country == "Germany")
    }

    @Test("Nearly every municipal seat lies in its comune")
    func seats() throws {
        let comuni = gazetteer.places.range(.comune)
        var right = 0
        for comune in comuni {
            let seat = try #require(gazetteer.places.vector(comune).coordinate)
            let code = try gazetteer.reverse(seat, language: .italian).place.comuneCode
            if code == gazetteer.places.place(comune, .italian)?.comuneCode { right += 1 }
        }
        #expect(Double(right) / Double(comuni.count) >= 0.99, "\(right) of \(comuni.count)")
    }

    @Test("The open sea has only the nearest coastal place and its distance")
    func openSea() throws {
        let answer = try answer(14.0, 39.5)
        #expect(!answer.isOnLand)
        #expect(answer.place.comune == nil)
        #expect(answer.place.country == nil)
        #expect(answer.place.locality == "Ustica")
        #expect(try #require(answer.place.distance) > 100_000)
        #expect(answer.place.confidence == 0)
        #expect(try gazetteer.place(at: try #require(Coordinate(lon: 14.0, lat: 39.5)), language: .italian) == nil)
    }

    @Test("The North Pole is sea", arguments: [(0.0, 90.0), (123.4, 90), (180, 89.9), (-180, 90)])
    func northPole(lon: Double, lat: Double) throws {
        #expect(try !answer(lon, lat).isOnLand)
    }

    @Test("The South Pole is in Antarctica, without a comune", arguments: [(0.0, -90.0), (-180, -90), (77.7, -89.5)])
    func southPole(lon: Double, lat: Double) throws {
        let answer = try answer(lon, lat)
        #expect(answer.isOnLand)
        #expect(answer.place.countryCode == "AQ")
        #expect(answer.place.comune == nil)
    }

    @Test("The antimeridian is not a border")
    func antimeridian() throws {
        // Chukotka lies on both sides.
        for lon in [179.99, -179.99, 180, -180] { #expect(try answer(lon, 68.0).place.countryCode == "RU") }
        let west = try #require(try answer(179.9999, -10).place.distance)
        let east = try #require(try answer(-179.9999, -10).place.distance)
        #expect(abs(west - east) < 100)
    }

    @Test(
        "Enclaves, border towns and islands belong to the right country and comune",
        arguments: [
            (8.9718, 45.9682, "IT", "Campione d'Italia"), (12.4534, 41.9033, "VA", "Vatican City"),
            (12.4464, 43.9367, "SM", "San Marino"), (12.51133, 41.89193, "IT", "Roma"),
            (8.985, 45.87, "CH", "Mendrisio"),
            (12.6, 35.5, "IT", "Lampedusa e Linosa"), (7.4246, 43.7314, "MC", "Monaco"),
            (13.62, 45.941, "IT", "Gorizia"),
        ]
    )
    func enclaves(
        lon: Double,
        lat: Double,
        code: String,
        town: String
    )
        throws
    {
        let place = try answer(lon, lat).place
        #expect(place.countryCode == code)
        #expect(place.comune?.hasPrefix(town) == true, "\(place)")
    }

    @Test("Alternatives are other comuni with their distances")
    func alternatives() throws {
        let answer = try answer(14.7989, 40.7717)
        let comuni = ([answer.place] + answer.alternatives).compactMap(\.comune)
        #expect(comuni.count == 4)
        #expect(Set(comuni).count == 4)
        #expect(answer.alternatives.allSatisfy { ($0.distance ?? 0) > 0 })
    }

    @Test("The nearest towns match a brute-force search")
    func nearestTowns() throws {
        let tree = gazetteer.towns
        let towns = (0..<tree.count).map(tree.vector)
        var lon = -180.0
        while lon <= 180 {
            for lat in [-90.0, -60.1, -17, 0, 33.3, 71, 89.99] {
                let query = UnitVector(try #require(Coordinate(lon: lon, lat: lat)))
                let found = tree.nearest(to: query, atMost: 5).map(\.squaredChord).sorted()
                var all: [Double] = []
                for town in towns {
                    let chord = query.squaredChord(to: town)
                    guard all.count < 5 || chord < all[4] else { continue }
                    all = (all + [chord]).sorted().prefix(5).map(\.self)
                }
                // Distances are stored in single precision.
                #expect(found.count == 5 && zip(found, all).allSatisfy { abs($0 - $1) < 1e-7 * $1 })
            }
            lon += 90
        }
    }

    @Test("Outlines are closed rings, coarser at lower zooms, and cover the land")
    func outlines() throws {
        let italy = try BoundingBox(parsing: "6,36,19,47.5")
        let (fine, coarse) = (
            gazetteer.outlines(in: italy, tolerance: 0), gazetteer.outlines(in: italy, tolerance: 0.1)
        )
        let corners = { (shapes: [[[Coordinate]]]) in shapes.joined().reduce(0) { $0 + $1.count } }
        #expect(corners(coarse) * 2 < corners(fine))
        for ring in coarse.joined() { #expect(ring.count > 3 && ring.first == ring.last) }
        let world = try BoundingBox(parsing: "-180,-90,180,90")
        #expect(gazetteer.outlines(in: world, tolerance: 1).count > 500)
        #expect(gazetteer.outlines(in: try BoundingBox(parsing: "-140,-40,-139,-39"), tolerance: 0).isEmpty)
    }

    @Test("The considered points match a brute-force search")
    func candidates() throws {
        let points = gazetteer.points
        for (lon, lat) in [(14.7989, 40.7717), (9.19, 45.4642), (12.6, 35.5), (6.51, 35.21), (18.9, 47.6), (3, 41)] {
            let query = try #require(Coordinate(lon: lon, lat: lat))
            let found = points.nearest(to: query, atMost: 24, within: 60_000, in: nil).map(\.squared).sorted()
            let all = points.nearest(to: query, atMost: 1 << 20, within: 1e9, in: nil).map(\.squared)
            let nearest = all.filter { $0 < 3_600 }.sorted().prefix(24)
            #expect(all.count > 100_000 && found == Array(nearest))
        }
    }

    @Test("Distances are those on the ellipsoid")
    func distances() throws {
        // Vincenty's test line and one degree of the equator, computed by geod_inverse of PROJ.
        let flinders = try #require(Coordinate(lon: 144.424868, lat: -37.951033))
        let buninyong = try #require(Coordinate(lon: 143.926496, lat: -37.652821))
        #expect(abs(Geodesic.metres(from: flinders, to: buninyong) - 54_972.27) < 1)
        let origin = try #require(Coordinate(lon: 0, lat: 0))
        #expect(abs(Geodesic.metres(from: origin, to: try #require(Coordinate(lon: 1, lat: 0))) - 111_319.49) < 0.1)
        #expect(Geodesic.metres(from: origin, to: origin) == 0)
    }

    @Test("Concurrent lookups give the same answers")
    func threads() async throws {
        let points = (0..<200).compactMap {
            Coordinate(lon: 7 + Double($0 % 20) * 0.5, lat: 37 + Double($0 / 20) * 0.8)
        }
        let expected = try points.map { try gazetteer.reverse($0, language: .italian) }
        try await withThrowingTaskGroup(of: Bool.self) { [gazetteer] group in
            for _ in 0..<8 {
                group.addTask {
                    let found = try gazetteer.search("Fisciano", language: .italian).first?.comune
                    return try points.map { try gazetteer.reverse($0, language: .italian) } == expected
                        && found == "Fisciano"
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }
}
