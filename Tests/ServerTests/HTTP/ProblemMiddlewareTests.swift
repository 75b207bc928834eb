import Domain
import Foundation
import ServerSupport
import Testing

@Suite("Problem documents")
struct ProblemMiddlewareTests {
    @Test("The error for an invalid query names the parameter")
    func queries() async throws {
        let bad = [
            ("limit=0", "limit"), ("limit=201", "limit"), ("limit=abc", "limit"), ("lon=200&lat=1", "lon"),
            ("lon=1", "lat"), ("lat=1", "lon"), ("lon=nan&lat=1", "lon"), ("lon=1&lat=91", "lat"),
            ("radius=5", "radius"), ("lon=1&lat=1&radius=-1", "radius"), ("lon=1&lat=1&radius=inf", "radius"),
            ("bbox=1,2,3", "bbox"), ("bbox=1,3,2,2", "bbox"), ("bbox=a,b,c,d", "bbox"), ("status=gone", "status"),
            ("status=lost,,found", "status"), ("species=cow", "species"), ("sort=distance", "sort"),
            ("sort=name", "sort"),
            ("since=yesterday", "since"), ("until=2026-02-30", "until"), ("cursor=xyz", "cursor"), ("q=%20-%20", "q"),
            ("colour=red", "colour"), ("limit=1&limit=2", "limit"), ("lang=xx&place=Roma", "lang"),
        ]
        try await RunningService.with { service in
            for (query, field) in bad {
                let answer = try await service.send("GET", "/v1/listings?" + query)
                #expect(answer.status == 400, "\(query)")
                #expect(answer.text("field") == field, "\(query)")
            }
            for (path, field) in [
                ("/v1/pois", "lon"), ("/v1/pois?category=bar&lon=1&lat=1", "category"),
                ("/v1/places", "q"), ("/v1/places/reverse", "lon"), ("/v1/breeds?species=fish", "species"),
            ] {
                let answer = try await service.send("GET", path)
                #expect(answer.status == 400 && answer.text("field") == field, "\(path)")
            }
        }
    }

    @Test("The error for an invalid listing names the field")
    func listings() async throws {
        let bad = [
            (#""status": null"#, "status"), (#""status": "gone""#, "status"), (#""status": 5"#, "status"),
            (#""species": "cow""#, "species"), (#""sex": "yes""#, "sex"), (#""size": 3"#, "size"),
            (#""name": "\#(String(repeating: "x", count: 81))""#, "name"), (#""name": 7"#, "name"),
            (#""name": "x\#(String(repeating: " ", count: 80))""#, "name"),
            (#""name": "a\u0000b""#, "name"),
            (#""description": "\#(String(repeating: "x", count: 4001))""#, "description"),
            (#""microchip": "12345""#, "microchip"), (#""microchip": "999260000000000""#, "microchip"),
            (#""lon": 181"#, "lon"), (#""lat": "40""#, "lat"), (#""lon": null"#, "lon"),
            (#""last_seen_at": "soon""#, "last_seen_at"), (#""last_seen_at": "2999-01-01""#, "last_seen_at"),
            (#""contact_phone": "call me""#, "contact_phone"), (#""contact_email": "a@b""#, "contact_email"),
            (#""contact_phone_public": "yes""#, "contact_phone_public"), (#""owner": 1"#, "owner"),
            (#""id": "x""#, "id"),
        ]
        try await RunningService.with { service in
            let token = try await service.guest()
            for (field, name) in bad {
                // The last of two members with the same name is used.
                let body = "{\"lon\": 10, \"lat\": 45, \"status\": \"lost\", \(field)}"
                let unique = body.replacingOccurrences(of: name == "lon" ? "\"lon\": 10, " : "\u{1}", with: "")
                    .replacingOccurrences(of: name == "lat" ? "\"lat\": 45, " : "\u{1}", with: "")
                    .replacingOccurrences(of: name == "status" ? "\"status\": \"lost\", " : "\u{1}", with: "")
                let answer = try await service.send("POST", "/v1/listings", unique, token: token)
                #expect(answer.status == 400, "\(field)")
                #expect(answer.text("field") == name, "\(field)")
            }
            for body in [#"{"status": "lost"}"#, #"{"status": "lost", "place": "Qwertzuiop"}"#] {
                #expect(try await service.send("POST", "/v1/listings", body, token: token).text("field") == "place")
            }
            #expect(try await service.send("GET", "/v1/me/listings", token: token).features.isEmpty)
        }
    }

    @Test("The error for an invalid registration names the field, and a used address is a conflict in any case")
    func registrations() async throws {
        let bad = [
            (#"{}"#, "email"), (#"{"email": "anna", "password": "correct horse"}"#, "email"),
            (#"{"email": "a@example.org", "password": "1234567"}"#, "password"),
            (#"{"email": "a@example.org", "password": 12345678}"#, "password"),
            (#"{"email": "a@example.org", "password": "correct horse", "role": "admin"}"#, "role"),
            (#"{"email": "a@example.org", "password": "correct horse", "picture": "javascript:1"}"#, "picture"),
        ]
        try await RunningService.with { service in
            for (body, field) in bad {
                let answer = try await service.send("POST", "/v1/accounts", body)
                #expect(answer.status == 400 && answer.text("field") == field, "\(body)")
            }
            _ = try await service.register("anna@example.org")
            let again = try await service.send(
                "POST",
                "/v1/accounts",
                #"{"email": "ANNA@example.org", "password": "correct horse"}"#
            )
            #expect(again.status == 409)
        }
    }

    @Test("Every refusal is a problem document with status, title, detail and request id")
    func shape() async throws {
        try await RunningService.with { service in
            let token = try await service.guest()
            let answers = [
                try await service.send("GET", "/nowhere"), try await service.send("PUT", "/v1/listings"),
                try await service.send("GET", "/v1/listings/1"), try await service.send("GET", "/v1/me"),
                try await service.send("GET", "/v1/me", token: "nonsense"),
                try await service.send("POST", "/v1/listings", "{", token: token),
                try await service.send("POST", "/v1/listings", "[]", token: token),
                try await service.send(
                    "POST",
                    "/v1/listings",
                    "{}",
                    token: token,
                    headers: ["Content-Type": "text/plain"]
                ),
                try await service.send(
                    "POST",
                    "/v1/listings",
                    String(repeating: " ", count: 70_000),
                    token: token
                ),
            ]
            #expect(answers.map(\.status) == [404, 405, 404, 401, 401, 400, 400, 415, 413])
            for answer in answers {
                #expect(answer.headers["content-type"] == "application/problem+json")
                #expect(answer["status"] == .number(Double(answer.status)))
                #expect(answer.text("title") != nil && answer.text("detail") != nil)
                #expect(answer.headers["x-request-id"] != nil)
            }
            #expect(answers[1].headers["allow"] == "GET, HEAD, POST, OPTIONS")
            #expect(answers[3].headers["www-authenticate"] == "Bearer")
        }
    }

    @Test("Only the owner can write a listing")
    func authorisation() async throws {
        try await RunningService.with { service in
            let owner = try await service.guest()
            let id = try await service.post(#"{"status": "lost", "lon": 10, "lat": 45}"#, owner)
            let admin = try await service.register("admin@example.org")
            let account = try #require(try await service.board.accounts.findAccount(email: "admin@example.org"))
            try await service.board.accounts.setRole(account, .admin)
            let callers: [(String?, Int)] = [
                (nil, 401), (try await service.guest(), 403), (try await service.register("b@example.org"), 403),
                (admin, 403), (owner, 200),
            ]
            for (token, status) in callers {
                let answer = try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "X"}"#, token: token)
                #expect(answer.status == status)
            }
            for (token, status) in callers {
                let answer = try await service.send("DELETE", "/v1/listings/\(id)", token: token)
                #expect(answer.status == (status == 200 ? 204 : status))
            }
            for (method, path) in [
                ("POST", "/v1/listings"), ("GET", "/v1/me"), ("PATCH", "/v1/me"), ("DELETE", "/v1/me"),
                ("DELETE", "/v1/sessions"), ("GET", "/v1/me/listings"),
            ] {
                #expect(try await service.send(method, path).status == 401, "\(method) \(path)")
            }
        }
    }
}
