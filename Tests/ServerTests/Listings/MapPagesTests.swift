import ServerSupport
import Testing

@Suite("Map pages")
struct MapPagesTests {
    @Test("The map gets the address of its tiles, and outlines as GeoJSON")
    func settingsAndOutlines() async throws {
        try await RunningService.with(hasModel: false) { service in
            let settings = try await service.send("GET", "/map/settings?lang=it")
            #expect(settings.status == 200 && settings.headers["content-type"] == "application/json")
            #expect(settings.json.fields.keys.sorted() == ["attribution", "outlines", "tiles"])
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
}
