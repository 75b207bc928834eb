import Domain
import Foundation
import ServerSupport
import Synchronization
import Testing

@Suite("Search areas over HTTP")
struct SearchAreaRoutesTests {
    private static let home = (lon: 14.793211, lat: 40.771934)
    private static let seen = Timestamp(parsing: "2026-11-01T12:00:00Z") ?? .now

    private static func listing(_ more: String = "") -> String {
        #"{"status": "lost", "name": "Argo", "lon": \#(home.lon), "lat": \#(home.lat), "#
            + #""last_seen_at": "\#(seen.text)"\#(more)}"#
    }

    private static func radii(_ answer: RunningService.Answer) -> [Double] {
        answer.features.indices.compactMap { index in
            if case .number(let radius)? = answer["features", "\(index)", "properties", "radius_m"] {
                radius
            } else {
                nil
            }
        }
    }

    /// Runs the body with a service whose clock stands some hours after the loss.
    private static func with(
        hours: Double,
        _ body: (RunningService) async throws -> Void
    ) async throws {
        try await RunningService.with(hasModel: false, now: { seen.adding(seconds: 3_600 * hours) }, body)
    }

    @Test("Strangers get circles around the public cell, owners and admins around the exact point")
    func precision() async throws {
        try await Self.with(hours: 6) { service in
            let owner = try await service.guest()
            let path = "/v1/listings/\(try await service.post(Self.listing(), owner))/search-area"
            let centre = try #require(Coordinate(lon: Self.home.lon, lat: Self.home.lat)).cellCentre
            let own = try await service.send("GET", path, token: owner)
            #expect(own.status == 200 && own.headers["content-type"] == "application/geo+json")
            #expect(own.headers["cache-control"] == "no-store")
            #expect(Self.radii(own) == [1_617, 396, 127])
            #expect(
                own["features", "0", "properties", "centre"]
                    == .array([.number(Self.home.lon), .number(Self.home.lat)])
            )
            let admin = try await service.admin()
            #expect(try await service.send("GET", path, token: admin).json == own.json)
            let other = try await service.guest()
            for reader in [nil, other] {
                let answer = try await service.send("GET", path, token: reader)
                #expect(Self.radii(answer) == [1_630, 446, 354])
                #expect(
                    answer["features", "2", "properties", "centre"]
                        == .array([.number(centre.lon), .number(centre.lat)])
                )
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(!text.contains("\(Self.home.lon)") && !text.contains("\(Self.home.lat)"))
                #expect(answer["hours"] == .number(6) && answer["calibration", "calibrated"] == .bool(false))
                #expect(answer["calibration", "n"] == .number(0) && answer.text("basis", "distances") == "fitted")
                #expect(answer.headers["vary"]?.contains("Authorization") == true)
                let tag = try #require(answer.headers["etag"])
                let again = try await service.send("GET", path, token: reader, headers: ["If-None-Match": tag])
                #expect(again.status == 304)
            }
        }
    }

    @Test("Points of one cell have the same circles for strangers")
    func cells() async throws {
        try await Self.with(hours: 30) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing(), owner)
            let before = try await service.send("GET", "/v1/listings/\(id)/search-area")
            let centre = try #require(Coordinate(lon: Self.home.lon, lat: Self.home.lat)).cellCentre
            let moved = #"{"lon": \#(centre.lon - 0.002), "lat": \#(centre.lat + 0.002)}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(id)", moved, token: owner).status == 200)
            let after = try await service.send("GET", "/v1/listings/\(id)/search-area")
            #expect(before["features"] == after["features"] && before.features.count == 3)
        }
    }

    @Test("The polygons have 64 corners, and the smallest one comes last")
    func polygons() async throws {
        try await Self.with(hours: 100) { service in
            let owner = try await service.guest()
            let more = #", "location_precision": "exact", "description": "sterilizzata""#
            let id = try await service.post(Self.listing(more), owner)
            let answer = try await service.send("GET", "/v1/listings/\(id)/search-area")
            #expect(Self.radii(answer) == [3_886, 952, 304])
            for index in 0..<3 {
                #expect(answer.text("features", "\(index)", "geometry", "type") == "Polygon")
                #expect(answer.text("features", "\(index)", "properties", "around") == "lost")
                guard case .array(let ring)? = answer["features", "\(index)", "geometry", "coordinates", "0"] else {
                    Issue.record("no ring")
                    continue
                }
                #expect(ring.count == 65 && ring.first == ring.last)
            }
        }
    }

    @Test("A circle across the antimeridian is a MultiPolygon")
    func antimeridian() async throws {
        try await Self.with(hours: 100) { service in
            let owner = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 179.999, "lat": -17}"#, owner)
            let answer = try await service.send("GET", "/v1/listings/\(id)/search-area", token: owner)
            #expect(answer.text("features", "0", "geometry", "type") == "MultiPolygon")
        }
    }

    @Test("Only open lost dogs and cats that are marked on the map have a search area")
    func refusals() async throws {
        try await Self.with(hours: 6) { service in
            let owner = try await service.guest()
            func status(_ body: String) async throws -> (Int, String?) {
                let id = try await service.post(body, owner)
                let answer = try await service.send("GET", "/v1/listings/\(id)/search-area", token: owner)
                return (answer.status, answer.text("errors", "0", "field") ?? answer.text("detail"))
            }
            let point = #""lon": 14.79, "lat": 40.77"#
            #expect(try await status(#"{"status": "found", \#(point)}"#).0 == 409)
            #expect(try await status(#"{"status": "sighted", \#(point)}"#).0 == 409)
            #expect(try await status(#"{"status": "reunited", \#(point)}"#).0 == 409)
            #expect(try await status(#"{"status": "lost", "species": "other", \#(point)}"#).0 == 409)
            #expect(try await status(#"{"status": "lost", "place": "Salerno"}"#).0 == 409)
            #expect(try await status(#"{"status": "lost", "species": "cat", \#(point)}"#).0 == 200)
            for path in ["x", UUID().uuidString] {
                #expect(try await service.send("GET", "/v1/listings/\(path)/search-area").status == 404)
            }
        }
    }

    @Test("A hidden listing has a search area for its owner and admins only")
    func hidden() async throws {
        try await Self.with(hours: 6) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing(), owner)
            let key = try #require(UUID(uuidString: id))
            _ = try await service.board.moderation.hide(key, .init(.spam, note: nil, by: .service))
            let path = "/v1/listings/\(id)/search-area"
            #expect(try await service.send("GET", path).status == 404)
            #expect(try await service.send("GET", path, token: owner).status == 200)
            let closed = try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "closed"}"#, token: owner)
            #expect(closed.status == 200)
            #expect(try await service.send("GET", path, token: owner).status == 409)
        }
    }

    @Test("The page of a listing says where to look, with the help inside the circle", arguments: ["it", "en"])
    func page(language: String) async throws {
        try await Self.with(hours: 100) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing(), owner)
            var pois: [PointOfInterest] = []
            for (id, lon, category) in [
                (1, 14.79, PointOfInterest.Category.veterinary), (2, 14.9, .veterinary), (3, 14.796, .petShop),
                (4, 14.797, .dogPark),
            ] {
                var poi = PointOfInterest(
                    category: category,
                    coordinate: try #require(Coordinate(lon: lon, lat: 40.772))
                )
                poi.element = .init(type: .node, id: Int64(id))
                poi.name = "Place \(id)"
                poi.phone = "+39 089 \(id)"
                pois.append(poi)
            }
            _ = try await service.board.pois.put(pois, source: "test")
            let headers = ["Accept-Language": language]
            let html = String(
                decoding: try await service.send("GET", "/listings/\(id)", headers: headers).body,
                as: UTF8.self
            )
            #expect(html.contains(language == "it" ? "La metà dei cani smarriti" : "Half of lost dogs"))
            #expect(html.contains("420\u{A0}m") && html.contains(language == "it" ? "1,1\u{A0}km" : "1.1\u{A0}km"))
            #expect(html.contains("data-radius=\"411\"") && html.contains("Place 1") && html.contains("Place 4"))
            #expect(!html.contains("Place 2") && !html.contains("Place 3"))
            #expect(!html.contains("\(Self.home.lon)") && html.firstMatch(of: /[^.]area\.[a-z]/) == nil)
            let closed = try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "closed"}"#, token: owner)
            #expect(closed.status == 200)
            let after = try await service.send("GET", "/listings/\(id)", headers: headers)
            #expect(!String(decoding: after.body, as: UTF8.self).contains("data-circle"))
        }
    }
}
