import Domain
import Foundation
import ServerSupport
import Testing

@Suite("Streets and landmarks of listings")
struct WhereaboutsTests {
    private func post(_ fields: String, at service: RunningService, _ token: String) async throws -> JSONValue? {
        let answer = try await service.send("POST", "/v1/listings", #"{"status": "lost", \#(fields)}"#, token: token)
        #expect(answer.status == 201, "\(answer.html)")
        return answer.json["properties"]
    }

    @Test(
        "An address in the field of the town becomes a town and a street",
        arguments: [
            (#""place": "Via Roma 3, Fisciano""#, "Fisciano", "Via Roma 3"),
            (#""place": "Via Roma 3, Fisciano", "lon": 14.79, "lat": 40.77"#, "Fisciano", "Via Roma 3"),
            (
                #""place": "dietro il campo sportivo", "lon": 14.79, "lat": 40.77"#, "Fisciano",
                "dietro il campo sportivo"
            ),
            (#""place": "Fisciano", "whereabouts": " Parco della Villa ""#, "Fisciano", "Parco della Villa"),
            (#""place": "Via Roma 3, Fisciano", "whereabouts": "via roma""#, "Fisciano", "Via Roma 3"),
            (#""place": "Via Roma 3, Fisciano", "whereabouts": "il bar""#, "Fisciano", "Via Roma 3, il bar"),
        ]
    )
    func address(fields: String, town: String, whereabouts: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let properties = try await post(fields, at: service, try await service.guest())
            #expect(properties?["place"] == .string(town))
            #expect(properties?["whereabouts"] == .string(whereabouts))
        }
    }

    @Test("A street is searched, edited, cleared and bounded")
    func life() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let created = try await service.send(
                "POST", "/v1/listings", #"{"status": "lost", "place": "Fisciano", "whereabouts": "Via Garibaldi 7"}"#,
                token: token)
            let path = "/v1/listings/" + (created.text("id") ?? "")
            #expect(try await service.send("GET", "/v1/listings?q=garibaldi").features.count == 1)
            let filter = "/collections/listings/items?filter=whereabouts%20LIKE%20'Via%25'"
            #expect(try await service.send("GET", filter).features.count == 1)
            let long = String(repeating: "a", count: 121)
            let refused = try await service.send("PATCH", path, #"{"whereabouts": "\#(long)"}"#, token: token)
            #expect(refused.status == 400 && refused.text("field") == "whereabouts")
            let moved = try await service.send("PATCH", path, #"{"place": "Salerno, Corso Vittorio 1"}"#, token: token)
            #expect(moved.json["properties"]?["place"] == "Salerno")
            #expect(moved.json["properties"]?["whereabouts"] == "Corso Vittorio 1")
            let cleared = try await service.send("PATCH", path, #"{"whereabouts": null}"#, token: token)
            #expect(cleared.json["properties"]?["whereabouts"] == .null)
            #expect(try await service.send("GET", "/v1/listings?q=garibaldi").features.isEmpty)
        }
    }

    @Test("The page, the card, the feed and the form show a street, escaped")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let created = try await service.send(
                "POST", "/v1/listings", #"{"status": "lost", "place": "Fisciano", "whereabouts": "Via <b> & 7"}"#,
                token: token)
            let id = created.text("id") ?? ""
            for path in ["/listings/\(id)", "/board", "/feeds/listings.atom"] {
                let html = try await service.send("GET", path).html
                #expect(html.contains("Via &lt;b&gt; &amp; 7"), "\(path)")
            }
            #expect(try await service.send("GET", "/post").html.contains(#"name="whereabouts""#))
        }
    }

    @Test("A street that was typed with an unclear town stays when the town is chosen")
    func choice() async throws {
        try await RunningService.with(hasModel: false) { service in
            func post(_ fields: String) async throws -> RunningService.Answer {
                try await service.send(
                    "POST", "/post", bytes: Data("status=lost&species=dog&name=Argo&\(fields)".utf8), nil,
                    [
                        "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                        "Sec-Fetch-Site": "same-origin",
                    ])
            }
            let place = "place=vicino+alla+stazione+di+Fisciano"
            let question = try await post(place)
            #expect(question.status == 400 && question.html.contains(#"name="place_choice" value="Fisciano (SA)""#))
            #expect(try await post("\(place)&place_choice=Fisciano+%28SA%29").status == 200)
            let listing = try #require(try await service.send("GET", "/v1/listings?q=argo").features.first)
            #expect(listing["properties"]?["place"] == "Fisciano")
            #expect(listing["properties"]?["whereabouts"] == "vicino alla stazione di Fisciano")
        }
    }

    @Test("The street of a sighting begins its text")
    func sighting() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let created = try await service.send(
                "POST", "/v1/listings", #"{"status": "lost", "place": "Fisciano"}"#, token: token)
            let path = "/v1/listings/\(created.text("id") ?? "")/sightings"
            let seen = try await service.send(
                "POST", path, #"{"place": "Via Roma 3, Fisciano", "text": "He ran away."}"#, token: token)
            #expect(seen.status == 201, "\(seen.html)")
            #expect(seen.text("text") == "Via Roma 3\nHe ran away.")
        }
    }
}
