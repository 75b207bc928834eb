import Domain
import Foundation
import ServerSupport
import Testing

@Suite("Points and towns that contradict each other")
struct PlausiblePlaceTests {
    private func post(
        _ fields: String, at service: RunningService, _ token: String
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/listings", #"{"status": "lost", \#(fields)}"#, token: token)
    }

    @Test(
        "A town far from the point is refused with both names",
        arguments: [
            (#""place": "Milano", "lon": 14.79, "lat": 40.77"#, "Fisciano"),
            (#""place": "Città di Castello", "lon": 14.79, "lat": 40.77, "location_precision": "exact""#, "Fisciano"),
            (#""place": "Paris", "lon": 9.19, "lat": 45.46"#, "Milano"),
        ]
    )
    func contradiction(fields: String, town: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let answer = try await post(fields, at: service, token)
            #expect(answer.status == 400 && answer.text("field") == "place")
            #expect(answer.text("detail")?.contains(town) == true, "\(answer.html)")
        }
    }

    @Test(
        "A town is accepted where the point is in its comune, or at most 10 km outside, and other words are not compared",
        arguments: [
            #""place": "Roma", "lon": 12.2766, "lat": 41.7321"#, #""place": "Salerno", "lon": 14.79, "lat": 40.77"#,
            #""place": "Penta", "lon": 14.79, "lat": 40.77"#,
            #""place": "vicino al campo", "lon": 14.79, "lat": 40.77"#,
            #""place": "Lombardia", "lon": 9.19, "lat": 45.46"#, #""place": "London", "lon": -0.4, "lat": 51.47"#,
        ]
    )
    func agreement(fields: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await post(fields, at: service, try await service.guest())
            #expect(answer.status == 201, "\(answer.html)")
        }
    }

    @Test("The form asks with the town of the point, and a choice posts the listing")
    func form() async throws {
        try await RunningService.with(hasModel: false) { service in
            func post(_ fields: String) async throws -> RunningService.Answer {
                try await service.send(
                    "POST",
                    "/post",
                    bytes: Data("status=lost&species=dog&name=Argo&lon=14.79&lat=40.77&\(fields)".utf8),
                    nil,
                    [
                        "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                        "Sec-Fetch-Site": "same-origin",
                    ]
                )
            }
            let question = try await post("place=Milano")
            #expect(question.status == 400 && question.html.contains(#"name="place_choice" value="Fisciano (SA)""#))
            #expect(try await post("place=Milano&place_choice=Fisciano+%28SA%29").status == 200)
            let listing = try #require(try await service.send("GET", "/v1/listings?q=argo").features.first)
            #expect(listing["properties"]?["place"] == "Fisciano")
        }
    }
}
