import ServerSupport
import Testing

@Suite("Flyers over HTTP")
struct ListingFlyerTests {
    @Test("A flyer has the format of the parameter `format`, A4 without one")
    func formats() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, token)
            let path = "/listings/\(id)/flyer.pdf"
            let a4 = try await service.send("GET", path)
            #expect(a4.status == 200 && a4.headers["content-type"] == "application/pdf")
            #expect(try await service.send("GET", path + "?format=a4").body == a4.body)
            for format in ["a4-strips", "a5", "square"] {
                let other = try await service.send("GET", path + "?format=\(format)")
                #expect(other.status == 200 && other.body != a4.body, "\(format)")
            }
        }
    }

    @Test(
        "Other values of `format` get an error that names it and the expected values",
        arguments: ["a3", "A4", "", "a4&format=a5"]
    )
    func unknownFormats(format: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let id = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, service.guest())
            let answer = try await service.send("GET", "/listings/\(id)/flyer.pdf?format=\(format)")
            #expect(answer.status == 400)
            #expect(answer.text("field") == "format")
            let detail = try #require(answer.text("detail"))
            #expect(
                detail.hasSuffix(format.contains("&") ? "expected once" : "expected one of a4, a4-strips, a5, square")
            )
        }
    }
}
