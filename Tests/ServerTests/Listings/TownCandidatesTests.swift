import Foundation
import ServerSupport
import TestSupport
import Testing

/// A `place` that is not the name of one town, over HTTP and in the form.
@Suite("Towns that have to be chosen")
struct TownCandidatesTests {
    @Test("A post with an unclear town is refused with candidates, and a candidate is accepted")
    func refusedWithCandidates() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            func post(_ place: String) async throws -> RunningService.Answer {
                try await service.send(
                    "POST",
                    "/v1/listings",
                    #"{"status": "lost", "place": "\#(place)"}"#,
                    token: token
                )
            }
            for place in ["Italia", "Campania", "SA", "US", "Paperopoli", "San Giovanni"] {
                let refusal = try await post(place)
                #expect(refusal.status == 400 && refusal.text("field") == "place", "\(place)")
            }
            let refusal = try await post("Paperopoli")
            #expect(refusal.text("detail")?.contains("did you mean") == true)
            let candidate = try #require(refusal.text("candidates", "0", "place"))
            #expect(refusal["candidates", "0", "lon"] != nil && refusal["candidates", "0", "lat"] != nil)
            let accepted = try await post(candidate)
            #expect(accepted.status == 201 && accepted.text("properties", "place") != nil)
            #expect(try await post("Zzzqx")["candidates"] == nil)
        }
    }

    @Test("A town that an edit makes unclear is refused, and the listing keeps its town")
    func edit() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "place": "Fisciano"}"#, token)
            let refusal = try await service.send("PATCH", "/v1/listings/\(id)", #"{"place": "Castro"}"#, token: token)
            #expect(refusal.status == 400 && refusal["candidates"] != nil)
            #expect(try await service.send("GET", "/v1/listings/\(id)").text("properties", "place") == "Fisciano")
        }
    }

    @Test("A country is found by its name in every language")
    func countries() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let points = ["IT": "14.79,40.77", "MT": "14.45,35.89", "FR": "2.35,48.85"]
            var ids: [String: String] = [:]
            for (code, point) in points {
                let parts = point.split(separator: ",")
                ids[code] = try await service.post(
                    #"{"status": "lost", "lon": \#(parts[0]), "lat": \#(parts[1])}"#,
                    token
                )
            }
            for (name, code) in [
                ("Italia", "IT"), ("Italy", "IT"), ("Malta", "MT"), ("Francia", "FR"), ("france", "FR"),
            ] {
                for rest in ["", "&lon=12&lat=42", "&lang=it", "&bbox=-10,30,30,60"] {
                    let answer = try await service.send("GET", "/v1/listings?place=\(name)\(rest)")
                    #expect(
                        answer.features.count == 1 && answer.text("features", "0", "id") == ids[code],
                        "\(name)\(rest)"
                    )
                }
                let count = try await service.send("GET", "/v1/listings/count?place=\(name)")
                #expect(count["count"] == .number(1))
            }
        }
    }

    @Test("The form offers the candidates, keeps what was typed, and posts with the chosen one")
    func form() async throws {
        try await RunningService.with(hasModel: false) { service in
            func post(_ fields: String) async throws -> RunningService.Answer {
                try await service.send(
                    "POST",
                    "/post",
                    bytes: Data(fields.utf8),
                    nil,
                    [
                        "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html",
                        "Accept-Language": "it", "Sec-Fetch-Site": "same-origin",
                    ]
                )
            }
            let answer = try await post("status=lost&species=dog&name=Argo&place=Castro")
            let page = String(decoding: answer.body, as: UTF8.self)
            #expect(answer.status == 400 && page.contains("value=\"Argo\"") && page.contains("value=\"Castro\""))
            #expect(page.contains(#"name="place_choice" value="Castro (LE)""#))
            let done = try await post("status=lost&species=dog&name=Argo&place=Castro&place_choice=Castro+%28LE%29")
            #expect(done.status == 200)
            let listing = try #require(try await service.send("GET", "/v1/listings?q=argo").features.first)
            #expect(listing["properties"]?["province_code"] == "LE" && listing["properties"]?["place"] == "Castro")
        }
    }

    @Test("The filter by place finds regions and provinces, in other languages too")
    func filter() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "place": "Bergamo"}"#, token)
            _ = try await service.post(#"{"status": "lost", "place": "Fisciano"}"#, token)
            for place in ["Lombardia", "Lombardy", "BG", "Provincia+di+Bergamo", "Bergamo"] {
                let found = try await service.send("GET", "/v1/listings?place=\(place)").features
                #expect(found.count == 1 && found[0]["properties"]?["place"] == "Bergamo", "\(place)")
            }
        }
    }
}
