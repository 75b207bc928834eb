import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Organisation routes")
struct OrganisationRoutesTests {
    @Test("An organisation is created, shown, edited and deleted by its managers")
    func lifeCycle() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, other) = (try await service.register("anna@example.org"), try await service.guest())
            let body = #"{"name": "Canile", "website": "https://example.org", "lon": 14.8, "lat": 40.8}"#
            #expect(try await service.send("POST", "/v1/organisations", body, token: other).status == 403)
            let made = try await service.send("POST", "/v1/organisations", body, token: anna)
            #expect(made.status == 201 && made["verified"] == .bool(false) && made["lat"] == .number(40.8))
            let path = "/v1/organisations/\(try #require(made.text("id")))"
            #expect(made.headers["location"]?.hasSuffix(path) == true)
            #expect(try await service.send("GET", path).text("name") == "Canile")
            let tag = ["If-Match": try #require(made.headers["etag"])]
            let edited = try await service.send("PATCH", path, #"{"about": "Cani"}"#, token: anna, headers: tag)
            #expect(edited.text("about") == "Cani" && edited.text("website") == "https://example.org")
            #expect(try await service.send("PATCH", path, "{}", token: anna, headers: tag).status == 412)
            let own = try await service.send("GET", "/v1/me/organisations", token: anna)
            #expect(own.text("organisations", "0", "role") == "manager")
            for (invalid, field) in [
                (#"{"name": " "}"#, "name"), (#"{"website": "http://example.org"}"#, "website"),
                (#"{"lon": 14}"#, "lon"), (#"{"lat": 91, "lon": 1}"#, "lat"),
                (#"{"verified_at": "now"}"#, "verified_at"),
            ] {
                let answer = try await service.send("PATCH", path, invalid, token: anna)
                #expect(answer.status == 400 && answer.text("field") == field, "\(invalid)")
            }
            let listing = try await Self.post(service, path, anna)
            #expect(try await service.send("DELETE", path, token: anna).status == 409)
            let close = #"{"status": "closed"}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(listing)", close, token: anna).status == 200)
            #expect(try await service.send("DELETE", path, token: anna).status == 204)
            #expect(try await service.send("GET", path).status == 404)
            #expect(try await service.send("GET", "/v1/listings/\(listing)").status == 404)
        }
    }

    @Test("Only the invited account sees and accepts an invitation, whose answer tells nothing about the address")
    func invitations() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let (bruno, carla) = (
                try await service.register("bruno@example.org"), try await service.register("carla@example.org")
            )
            func invite(_ email: String) async throws -> RunningService.Answer {
                try await service.send("POST", "\(path)/invitations", #"{"email": "\#(email)"}"#, token: anna)
            }
            let (known, unknown) = (try await invite("Bruno@example.org"), try await invite("nobody@example.org"))
            #expect(known.status == 201 && unknown.status == 201)
            #expect(known.body.count == unknown.body.count + "Bruno".count - "nobody".count)
            let id = try #require(known.text("id"))
            #expect(try await service.send("GET", "/v1/me/invitations", token: carla)["invitations"] == .array([]))
            #expect(try await service.send("POST", "/v1/me/invitations/\(id)", token: carla).status == 404)
            #expect(try await service.send("DELETE", "/v1/me/invitations/\(id)", token: carla).status == 404)
            let own = try await service.send("GET", "/v1/me/invitations", token: bruno)
            #expect(own.text("invitations", "0", "organisation", "name") == "Canile")
            #expect(try await service.send("POST", "/v1/me/invitations/\(id)", token: bruno).status == 200)
            #expect(try await service.send("POST", "/v1/me/invitations/\(id)", token: bruno).status == 404)
            let members = try await service.send("GET", "\(path)/members", token: bruno)
            #expect(members.text("members", "1", "role") == "volunteer" && !members.html.contains("@"))
            #expect(try await service.send("GET", "\(path)/members", token: carla).status == 403)
            let second = try #require(try await invite("carla@example.org").text("id"))
            #expect(try await service.send("DELETE", "/v1/me/invitations/\(second)", token: carla).status == 204)
            #expect(try await service.send("POST", "/v1/me/invitations/\(second)", token: carla).status == 404)
        }
    }

    @Test("Invitations expire after 14 days")
    func expiry() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await service.register("bruno@example.org")
            let body = #"{"email": "bruno@example.org"}"#
            let id = try await service.send("POST", "\(path)/invitations", body, token: anna).created("id")
            clock.advance(days: 15)
            #expect(try await service.send("GET", "/v1/me/invitations", token: bruno)["invitations"] == .array([]))
            #expect(try await service.send("POST", "/v1/me/invitations/\(id)", token: bruno).status == 404)
        }
    }

    @Test("A volunteer edits and closes listings, and manages neither members nor keys")
    func volunteers() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await Self.join(service, path, "bruno", "volunteer", anna)
            let listing = try await Self.post(service, path, bruno)
            let shown = try await service.send("GET", "/v1/listings/\(listing)", token: bruno)
            #expect(shown.text("properties", "organisation", "name") == "Canile")
            #expect(shown.text("properties", "contact_phone") == "+39 089 1234")
            let rename = #"{"name": "Argo"}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(listing)", rename, token: bruno).status == 200)
            #expect(try await service.send("POST", "/v1/listings/\(listing)/renewal", token: bruno).status == 200)
            #expect(try await service.send("DELETE", "/v1/listings/\(listing)", token: bruno).status == 403)
            let members = try await service.send("GET", "\(path)/members", token: bruno)
            let (manager, volunteer) = (
                try #require(members.text("members", "0", "id")), try #require(members.text("members", "1", "id"))
            )
            let key = #"{"name": "k", "scopes": ["listings:read"]}"#
            for (method, rest, body) in [
                ("PATCH", "", #"{"about": "x"}"#), ("DELETE", "", nil), ("GET", "/invitations", nil),
                ("POST", "/invitations", #"{"email": "x@example.org"}"#), ("GET", "/keys", nil), ("POST", "/keys", key),
                ("DELETE", "/members/\(manager)", nil),
                ("PATCH", "/members/\(volunteer)", #"{"role": "manager"}"#),
            ] as [(String, String, String?)] {
                let answer = try await service.send(method, path + rest, body, token: bruno)
                #expect(answer.status == 403, "\(method) \(rest)")
            }
            let own = try await service.send(
                "GET",
                "/v1/me/listings?organisation=\(path.suffix(36))",
                token: bruno
            )
            #expect(own.text("features", "0", "id") == listing)
            #expect(try await service.send("DELETE", "\(path)/members/\(volunteer)", token: anna).status == 204)
            // Access ends at once.
            #expect(try await service.send("PATCH", "/v1/listings/\(listing)", rename, token: bruno).status == 403)
            #expect(try await service.send("GET", "\(path)/members", token: bruno).status == 403)
            let post = #"{"status": "lost", "place": "Salerno", "organisation": "\#(path.suffix(36))"}"#
            #expect(try await service.send("POST", "/v1/listings", post, token: bruno).status == 403)
        }
    }

    @Test("Members read and answer messages about its listings, and nobody else does")
    func messages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await Self.join(service, path, "bruno", "volunteer", anna)
            let listing = "/v1/listings/\(try await Self.post(service, path, anna))"
            let writer = try await service.guest()
            let sent = try await service.send("POST", "\(listing)/messages", #"{"text": "Mine!"}"#, token: writer)
            let conversation = "/v1/me/conversations/\(try #require(sent.text("conversation")))"
            let inbox = try await service.send("GET", "\(listing)/messages", token: bruno)
            #expect(inbox["numberReturned"] == .number(1))
            #expect(try await service.send("GET", conversation, token: bruno).status == 200)
            let answer = #"{"text": "Come to us"}"#
            #expect(try await service.send("POST", "\(conversation)/messages", answer, token: bruno).status == 201)
            #expect(try await service.send("GET", conversation, token: writer).html.contains("Come to us"))
            let other = try await service.guest()
            #expect(try await service.send("GET", conversation, token: other).status == 404)
            #expect(try await service.send("POST", "\(conversation)/messages", answer, token: other).status == 404)
            #expect(try await service.send("GET", "\(listing)/messages", token: other).status == 403)
        }
    }

    @Test("Members decide on sightings and matches of its lost animals and add tracks, and nobody else does")
    func decisions() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await Self.join(service, path, "bruno", "volunteer", anna)
            let (witness, other) = (try await service.guest(), try await service.guest())
            let dog = #""species": "dog", "breed": "Beagle", "lon": 14.79, "lat": 40.77"#
            let lost = try await service.post(
                #"{"status": "lost", "organisation": "\#(path.suffix(36))", \#(dog)}"#,
                anna
            )
            let found = try await service.post(#"{"status": "found", \#(dog)}"#, witness)
            let listing = "/v1/listings/\(lost)"
            let seen = #"{"lon": 14.8, "lat": 40.77, "text": "Near the river"}"#
            let sighting = try await service.send("POST", "\(listing)/sightings", seen, token: witness).created("id")
            let decision = (path: "\(listing)/sightings/\(sighting)", body: #"{"state": "confirmed"}"#)
            let match = (path: "\(listing)/matches/\(found)", body: #"{"answer": "no"}"#)
            let track = (path: "\(listing)/tracks/1", body: #"{"kind": "collar", "device": "d"}"#)
            for (method, request) in [("PATCH", decision), ("PUT", match), ("PUT", track)] {
                let refused = try await service.send(method, request.path, request.body, token: other)
                #expect(refused.status == 403 || refused.status == 404, "\(request.path)")
                let done = try await service.send(method, request.path, request.body, token: bruno)
                #expect(done.status == 200 || done.status == 201, "\(request.path): \(done.html)")
            }
            let sightings = try await service.send("GET", "\(listing)/sightings", token: witness)
            #expect(sightings.text("sightings", "0", "state") == "confirmed")
            let message = #"{"text": "Thank you"}"#
            let thanks = try await service.send("POST", "\(decision.path)/messages", message, token: bruno)
            let conversation = "/v1/me/conversations/\(try #require(thanks.text("conversation")))"
            #expect(try await service.send("GET", conversation, token: witness).html.contains("Thank you"))
            let page = try await service.send(
                "GET",
                "/listings/\(lost)",
                headers: ["Cookie": "__Host-doggofinder=\(bruno)", "Accept-Language": "en"]
            )
            #expect(page.html.contains("A listing of your organisation") && page.html.contains("Near the river"))
        }
    }

    @Test("The last manager stays, and of two who remove each other at once one does")
    func lastManager() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await Self.join(service, path, "bruno", "manager", anna)
            let members = try await service.send("GET", "\(path)/members", token: anna)
            let ids = [
                try #require(members.text("members", "0", "id")), try #require(members.text("members", "1", "id")),
            ]
            let me = try #require(try await service.send("GET", "/v1/me", token: anna).text("id"))
            let other = try #require(ids.first { $0 != me })
            async let first = service.send("DELETE", "\(path)/members/\(other)", token: anna)
            async let second = service.send("DELETE", "\(path)/members/\(me)", token: bruno)
            let statuses = try await [first.status, second.status].sorted()
            #expect(statuses == [204, 403])
            let stayed = try await service.send("GET", "\(path)/members", token: anna).status == 200
            let (winner, id) = stayed ? (anna, me) : (bruno, other)
            #expect(try await service.send("DELETE", "\(path)/members/\(id)", token: winner).status == 409)
            let demote = #"{"role": "volunteer"}"#
            #expect(try await service.send("PATCH", "\(path)/members/\(id)", demote, token: winner).status == 409)
            _ = try await Self.join(service, path, "carla", "volunteer", winner)
            // With other members, the only manager cannot delete the account; without, the organisation goes with it.
            #expect(try await service.send("DELETE", "/v1/me", token: winner).status == 409)
        }
    }

    @Test("A banned organisation is not shown, and nobody acts for it; nor does a banned member")
    func bans() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await Self.join(service, path, "bruno", "volunteer", anna)
            let listing = try await Self.post(service, path, bruno)
            let rename = #"{"name": "Argo"}"#
            let admin = try await service.admin()
            let me = try #require(try await service.send("GET", "/v1/me", token: bruno).text("id"))
            let member = "/v1/admin/accounts/\(me)"
            #expect(try await service.send("POST", "\(member)/ban", "{}", token: admin).status == 204)
            #expect(try await service.send("PATCH", "/v1/listings/\(listing)", rename, token: bruno).status == 403)
            #expect(try await service.send("POST", "\(member)/unban", "{}", token: admin).status == 204)
            #expect(try await service.send("PATCH", "/v1/listings/\(listing)", rename, token: bruno).status == 200)
            let organisation = "/v1/admin/accounts/\(path.suffix(36))"
            #expect(try await service.send("POST", "\(organisation)/ban", "{}", token: admin).status == 204)
            #expect(try await service.send("GET", path).status == 404)
            #expect(try await service.send("GET", "/v1/listings/\(listing)").status == 404)
            #expect(try await service.send("PATCH", "/v1/listings/\(listing)", rename, token: anna).status == 404)
            #expect(try await service.send("GET", "\(path)/members", token: anna).status == 404)
            let post = #"{"status": "lost", "place": "Salerno", "organisation": "\#(path.suffix(36))"}"#
            #expect(try await service.send("POST", "/v1/listings", post, token: anna).status == 404)
            #expect(try await service.send("POST", "\(organisation)/unban", "{}", token: admin).status == 204)
            #expect(try await service.send("GET", path).status == 200)
        }
    }

    @Test("Admins verify organisations, the audit tells it, and another name has to be verified again")
    func verification() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let listing = try await Self.post(service, path, anna)
            let admin = try await service.admin()
            let verify = "/v1/admin/organisations/\(path.suffix(36))/verify"
            #expect(try await service.send("POST", verify, #"{"note": "called"}"#, token: admin).status == 204)
            let shown = try await service.send("GET", "/v1/listings/\(listing)")
            #expect(shown["properties", "organisation", "verified"] == .bool(true))
            let audit = try await service.send("GET", "/v1/admin/audit", token: admin)
            #expect(audit.html.contains("organisation.verify"))
            let about = try await service.send("PATCH", path, #"{"about": "Cani"}"#, token: anna)
            #expect(about["verified"] == .bool(true))
            let renamed = try await service.send("PATCH", path, #"{"name": "Polizia"}"#, token: anna)
            #expect(renamed["verified"] == .bool(false))
        }
    }

    @Test("Many listings are renewed and closed at once, each only if the caller may")
    func batches() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await Self.make(service)
            let bruno = try await Self.join(service, path, "bruno", "volunteer", anna)
            let theirs = try await Self.post(service, path, anna)
            let annas = try await service.post(#"{"status": "lost", "place": "Salerno"}"#, anna)
            let brunos = try await service.post(#"{"status": "lost", "place": "Salerno"}"#, bruno)
            let none = UUID().uuidString.lowercased()
            func perform(_ action: String) async throws -> [String?] {
                let ids = [theirs, annas, brunos, none].map { "\"\($0)\"" }.joined(separator: ", ")
                let body = #"{"action": "\#(action)", "ids": [\#(ids)]}"#
                let answer = try await service.send("POST", "/v1/listings/bulk", body, token: bruno)
                return (0..<4).map { answer.text("results", "\($0)", "outcome") }
            }
            #expect(try await perform("renew") == ["done", "forbidden", "done", "not_found"])
            #expect(try await perform("reunited") == ["done", "forbidden", "done", "not_found"])
            #expect(try await perform("renew") == ["conflict", "forbidden", "conflict", "not_found"])
            let shown = try await service.send("GET", "/v1/listings/\(theirs)")
            #expect(shown.text("properties", "status") == "reunited")
            let many = Array(repeating: "\"\(theirs)\"", count: 201).joined(separator: ",")
            let body = #"{"action": "renew", "ids": [\#(many)]}"#
            #expect(try await service.send("POST", "/v1/listings/bulk", body, token: bruno).text("field") == "ids")
        }
    }
}

extension OrganisationRoutesTests {
    /// Returns the token of the manager and the path of the organisation.
    static func make(_ service: RunningService) async throws -> (token: String, path: String) {
        let token = try await service.register("anna@example.org")
        let body = #"{"name": "Canile", "phone": "+39 089 1234"}"#
        let id = try await service.send("POST", "/v1/organisations", body, token: token).created("id")
        return (token, "/v1/organisations/\(id)")
    }

    /// Registers an account that joins the organisation, and returns its token.
    static func join(
        _ service: RunningService,
        _ path: String,
        _ name: String,
        _ role: String,
        _ manager: String
    ) async throws -> String {
        let token = try await service.register("\(name)@example.org")
        let body = #"{"email": "\#(name)@example.org", "role": "\#(role)"}"#
        let id = try await service.send("POST", "\(path)/invitations", body, token: manager).created("id")
        let answer = try await service.send("POST", "/v1/me/invitations/\(id)", token: token)
        guard answer.status == 200 else { throw TestFailure("\(answer.status)") }
        return token
    }

    static func post(_ service: RunningService, _ path: String, _ token: String) async throws -> String {
        try await service.post(
            #"{"status": "found", "place": "Salerno", "organisation": "\#(path.suffix(36))"}"#,
            token
        )
    }
}
