import Domain
import Foundation
import Server
import ServerSupport
import TestSupport
import Testing

@Suite("Location privacy")
struct LocationPrivacyTests {
    private static let home = (lon: 14.793211, lat: 40.771934)
    private static let listing =
        #"{"status": "lost", "name": "Argo", "breed": "Beagle", "lon": \#(home.lon), "lat": \#(home.lat),"#
        + #" "contact_phone": "089 1234567", "contact_phone_public": true}"#
    /// The first digits of the point, which any notation of it would contain.
    private static let traces = ["14.7932", "40.7719"]

    @Test("A listing is found, counted and drawn at the centre of its cell")
    func searches() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let own = try await service.send("POST", "/v1/listings", Self.listing, token: token)
            #expect(own["geometry", "coordinates", "0"] == .number(Self.home.lon))
            #expect(own["geometry", "coordinates", "1"] == .number(Self.home.lat))
            #expect(own.text("properties", "location_precision") == "approximate")
            let id = try #require(own.text("id"))
            let told = try await service.send("GET", "/v1/listings/\(id)")
            let centre = try #require(Coordinate(lon: Self.home.lon, lat: Self.home.lat)).cellCentre
            #expect(told["geometry", "coordinates"] == .array([.number(centre.lon), .number(centre.lat)]))
            #expect(told.text("properties", "location_precision") == "approximate")
            #expect(told["properties", "approximate"] == .bool(true))
            for (point, count) in [(Self.home, 0), ((lon: centre.lon, lat: centre.lat), 1)] {
                let circle = "lon=\(point.lon)&lat=\(point.lat)&radius=20"
                for reader in [nil, token] {
                    let found = try await service.send("GET", "/v1/listings?\(circle)", token: reader)
                    #expect(found.features.count == count)
                }
                #expect(
                    try await service.send("GET", "/v1/listings/count?\(circle)")["count"] == .number(Double(count))
                )
                let box = [point.lon - 1e-4, point.lat - 1e-4, point.lon + 1e-4, point.lat + 1e-4]
                let bbox = box.map { "\($0)" }.joined(separator: ",")
                let items = try await service.send("GET", "/collections/listings/items?bbox=\(bbox)")
                #expect(items.features.count == count)
                let within = "S_INTERSECTS(geometry,BBOX(\(bbox)))".replacing(",", with: "%2C")
                let filtered = try await service.send("GET", "/collections/listings/items?filter=\(within)")
                #expect(filtered.features.count == count)
                let zoom = 18.0
                let column = Int((point.lon + 180) / 360 * pow(2, zoom))
                let angle = point.lat * .pi / 180
                let row = Int((1 - asinh(tan(angle)) / .pi) / 2 * pow(2, zoom))
                let tile = try await service.send("GET", "/tiles/listings/18/\(column)/\(row).pbf")
                #expect(tile.status == (count == 0 ? 204 : 200), "\(tile.status)")
            }
        }
    }

    @Test("Moving the point within the cell, or toggling the precision, does not reveal it")
    func changes() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.listing, token)
            let path = "/v1/listings/\(id)"
            func told() async throws -> JSONValue? { try await service.send("GET", path)["geometry"] }
            let cell = try await told()
            try await service.send("PATCH", path, #"{"lon": 14.7931, "lat": 40.7718}"#, token: token)
            let moved = try await told()
            #expect(moved == cell)
            try await service.send("PATCH", path, #"{"location_precision": "exact"}"#, token: token)
            let shown = try await service.send("GET", path)
            #expect(shown["geometry", "coordinates"] == .array([.number(14.7931), .number(40.7718)]))
            #expect(shown["properties", "location_precision"] == nil)
            let hidden = try await service.send("PATCH", path, #"{"location_precision": "approximate"}"#, token: token)
            #expect(hidden["geometry", "coordinates"] == shown["geometry", "coordinates"])
            let after = try await told()
            #expect(after == cell)
            let wrong = try await service.send("PATCH", path, #"{"location_precision": "vague"}"#, token: token)
            #expect(wrong.status == 400 && wrong.text("field") == "location_precision")
            let town = try await service.send(
                "PATCH",
                path,
                #"{"lon": null, "lat": null, "place": "Roma"}"#,
                token: token
            )
            let seen = try await told()
            #expect(town.status == 200 && town["geometry"] == seen)
        }
    }

    @Test("Place names are those of the cell, even if the point is on the other side of a border")
    func placeNames() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            // Along a line that crosses several comuni, all points of a cell have the same names.
            var names: [Coordinate: Set<String?>] = [:]
            for step in 0..<60 {
                let point = try #require(Coordinate(lon: 14.75 + Double(step) * 0.001, lat: 40.7719))
                let here = try await service.send("GET", "/v1/places/reverse?lon=\(point.lon)&lat=\(point.lat)")
                let town = try #require(here.text("comune"))
                // Apps send the name of the point's own comune.
                for place in ["", town, "\(town) (\(here.text("province_code") ?? ""))"] {
                    let rest = place.isEmpty ? "" : #", "place": "\#(place)""#
                    let body = #"{"status": "lost", "lon": \#(point.lon), "lat": \#(point.lat)\#(rest)}"#
                    let answer = try await service.send("POST", "/v1/listings", body, token: token)
                    let told = ["place", "locality", "postal_code"].map { answer.text("properties", $0) ?? "" }
                    names[point.cellCentre, default: []].insert(told.joined(separator: "/"))
                }
            }
            #expect(names.count > 5 && names.values.allSatisfy { $0.count == 1 })
            #expect(Set(names.values).count > 1)
        }
    }

    @Test("The event stream contains the centre of the cell")
    func stream() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(Self.listing, token)
            let address = service.base + "/v1/listings/stream"
            let told = try await StreamRoutesTests.follow(address, lastEventID: "0") { events in
                events.contains { $0.type == "listing.created" && $0.data != nil }
            } while: {
            }
            let data = try #require(told.first { $0.type == "listing.created" }?.data)
            let text = String(decoding: try JSONEncoder().encode(data), as: UTF8.self)
            #expect(text.contains("Argo") && !Self.traces.contains(where: text.contains))
        }
    }
}
