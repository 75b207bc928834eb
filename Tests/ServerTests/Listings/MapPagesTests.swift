import Domain
import ServerSupport
import Testing

@Suite("Map pages")
struct MapPagesTests {
    @Test("The map gets the address of its tiles, and outlines as GeoJSON")
    func settingsAndOutlines() async throws {
        try await RunningService.with(hasModel: false) { service in
            let settings = try await service.send("GET", "/map/settings?lang=it")
            #expect(settings.status == 200 && settings.headers["content-type"] == "application/json")
            #expect(settings.json.fields.keys.sorted() == ["attribution", "basemap", "outlines", "tiles"])
            #expect(settings.text("outlines")?.isEmpty == false)
            let outlines = try await service.send("GET", "/map/outlines?bbox=14,40,15,41&zoom=8")
            #expect(outlines.status == 200 && outlines.headers["content-type"] == "application/geo+json")
            #expect(outlines.text("type") == "MultiPolygon")
            let refused = try await service.send("GET", "/map/outlines?zoom=8")
            #expect(refused.status == 400 && refused.text("field") == "bbox")
            guard case .number? = outlines["coordinates", "0", "0", "0", "0"] else {
                Issue.record("no coordinates")
                return
            }
        }
    }

    @Test("Without a place the map starts at the operator's area, and lists its listings")
    func start() async throws {
        var site = SiteSettings()
        site.mapArea = try BoundingBox(parsing: "14.3,39.9,15.9,41.1")
        for isSet in [true, false] {
            try await RunningService.with(hasModel: false, site: isSet ? site : SiteSettings()) { service in
                let token = try await service.guest()
                let inside = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, token)
                let outside = try await service.post(#"{"status": "lost", "lon": 9.2, "lat": 45.5}"#, token)
                func page(_ path: String) async throws -> String {
                    String(decoding: try await service.send("GET", path).body, as: UTF8.self)
                }
                for path in ["/map", "/post"] {
                    let area = #"data-map-area="14.3,39.9,15.9,41.1""#
                    #expect(try await page(path).contains(area) == isSet, "\(path)")
                }
                let map = try await page("/map")
                #expect(map.contains(inside) && map.contains(outside) != isSet)
                #expect(try await page("/map?lon=9.2&lat=45.5").contains(outside))
            }
        }
    }
}
