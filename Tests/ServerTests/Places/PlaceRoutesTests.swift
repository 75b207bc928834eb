import Domain
import Foundation
import Logging
import Mapillary
import ServerSupport
import TestSupport
import Testing

@Suite("Points of interest, places and health over HTTP")
struct PlaceRoutesTests {
    @Test("Points of interest are sorted by distance and have map links")
    func pois() async throws {
        try await RunningService.with { service in
            let pois = try [(1, 14.5), (2, 14.4), (3, 20)].map { id, lon in
                var poi = PointOfInterest(
                    category: .veterinary,
                    coordinate: try #require(Coordinate(lon: lon, lat: 35.9))
                )
                poi.element = .init(type: .node, id: Int64(id))
                poi.openingHours = [1: "24/7", 2: "Mo-Su 12:00-12:30"][id]
                return poi
            }
            _ = try await service.board.pois.put(pois, source: "test")
            let near = try await service.send("GET", "/v1/pois?category=veterinary&lon=14.41&lat=35.9&radius=20000")
            #expect(near["features", "0", "properties", "osm_id"] == .number(2))
            #expect(near["features", "1", "properties", "osm_id"] == .number(1))
            #expect(near.features.count == 2)
            #expect(near.text("features", "0", "properties", "map_url")?.contains("openstreetmap.org") == true)
            #expect(near.text("features", "0", "properties", "street_url")?.hasPrefix("https://") == true)
            #expect(near.text("features", "1", "properties", "opening_state") == "open")
            #expect(near["features", "1", "properties", "opening_state_until"] == .null)
            #expect(near.text("features", "1", "properties", "time_zone") == "Europe/Malta")
            let shown = try await service.send("GET", "/v1/pois/2")
            let states = ["closed", "open"]
            #expect(shown.text("properties", "opening_state").map(states.contains) == true)
            #expect(shown.text("properties", "opening_next").map(states.contains) == true)
            #expect(shown.text("properties", "opening_state_until").flatMap(Timestamp.init(parsing:)) != nil)
            #expect(try await service.send("GET", "/v1/pois/3")["properties", "opening_state"] == nil)
            #expect(try await service.send("GET", "/v1/pois?bbox=19,35,21,36").features.count == 1)
            #expect(try await service.send("GET", "/v1/pois?bbox=19,35,21,36&category=pet_shop").features.isEmpty)
        }
    }

    @Test(
        "Where Mapillary is asked, a point of interest tells whether street pictures are likely",
        arguments: [#"{"data":[{"id":"1"}]}"#: JSONValue.bool(true), #"{"data":[]}"#: .bool(false), "{}": .null]
    )
    func streetPictures(answer: String, likely: JSONValue) async throws {
        let mapillary = try ScriptedHTTPServer(.body(answer))
        defer { mapillary.stop() }
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let pictures = try #require(StreetPictures(token: "MLY|1|x", address: mapillary.address, logger: logger))
        try await RunningService.with(streetPictures: pictures) { service in
            try await Self.put(service, lon: 14.4)
            let known = try await service.send("GET", "/v1/pois/1/street-pictures")
            #expect(known.status == 200 && known["likely"] == likely)
            #expect(known.headers["cache-control"] == (likely == .null ? "no-cache" : "public, max-age=3600"))
            #expect(
                known.headers["ratelimit-policy"]
                    == (try await service.send("GET", "/v1/pois/1")).headers["ratelimit-policy"]
            )
            #expect(try await service.send("GET", "/v1/pois/2/street-pictures").status == 404)
            #expect(mapillary.requests.count == 1)
        }
    }

    @Test("Without a token for Mapillary, nobody knows of street pictures")
    func noStreetPictures() async throws {
        try await RunningService.with { service in
            try await Self.put(service, lon: 14.4)
            let unknown = try await service.send("GET", "/v1/pois/1/street-pictures")
            #expect(unknown.status == 200 && unknown.json == .object(["likely": .null]))
            for path in ["2", "x"] {
                #expect(try await service.send("GET", "/v1/pois/\(path)/street-pictures").status == 404)
            }
        }
    }

    private static func put(_ service: RunningService, lon: Double) async throws {
        var poi = PointOfInterest(category: .veterinary, coordinate: try #require(Coordinate(lon: lon, lat: 35.9)))
        poi.element = .init(type: .node, id: 1)
        _ = try await service.board.pois.put([poi], source: "test")
    }

    @Test("Points and names give places in the requested language")
    func places() async throws {
        try await RunningService.with { service in
            let reverse = try await service.send("GET", "/v1/places/reverse?lon=14.79&lat=40.77&lang=it")
            #expect(reverse.text("comune_code") == "D615")
            #expect(reverse.text("country") == "Italia")
            #expect(reverse.text("postal_code") == "84084")
            let sea = try await service.send("GET", "/v1/places/reverse?lon=-30&lat=0")
            #expect(sea["country_code"] == .null && sea["comune"] == .null)
            let search = try await service.send("GET", "/v1/places?q=Bozen")
            #expect(search.text("features", "0", "properties", "comune") == "Bolzano")
            let breeds = try await service.send(
                "GET",
                "/v1/breeds?q=pastore%20ted",
                headers: ["Accept-Language": "it-IT,en;q=0.5"]
            )
            #expect(breeds.text("breeds", "0", "name") == "Pastore tedesco")
        }
    }

    @Test("The health routes answer, HEAD and OPTIONS work, and other sites can read answers")
    func manners() async throws {
        try await RunningService.with { service in
            #expect(try await service.send("GET", "/healthz").text("status") == "ok")
            #expect(try await service.send("GET", "/readyz").text("status") == "ready")
            let head = try await service.send("HEAD", "/v1/listings")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(try await service.send("OPTIONS", "/v1/listings").status == 204)
            let options = try await service.send("OPTIONS", "/v1/listings/count")
            #expect(options.headers["allow"] == "GET, HEAD, OPTIONS")
            let cross = try await service.send("GET", "/v1/listings", headers: ["Origin": "https://map.example"])
            #expect(cross.headers["access-control-allow-origin"] == "*")
        }
    }
}
