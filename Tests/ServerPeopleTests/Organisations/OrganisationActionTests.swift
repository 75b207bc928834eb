import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Rights of members with a second factor, and what they did")
struct OrganisationActionTests {
    private static func actions(_ service: RunningService, _ path: String, _ token: String) async throws -> [String] {
        let answer = try await service.send("GET", "\(path)/actions", token: token)
        guard answer.status == 200, case .array(let actions)? = answer["actions"] else {
            throw TestFailure(answer.html)
        }
        return actions.map { action in
            guard case .object(let members) = action else { return "" }
            return ["action", "actor_name", "detail"].map { name in
                if case .string(let text)? = members[name] { text } else { "-" }
            }.joined(separator: " ")
        }
    }

    @Test("Managers see who did what; volunteers and strangers do not")
    func actions() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let bruno = try await OrganisationRoutesTests.join(service, path, "bruno", "volunteer", anna)
            _ = try await service.send("PATCH", "/v1/me", #"{"first_name": "Bruno"}"#, token: bruno)
            let id = try await OrganisationRoutesTests.post(service, path, bruno)
            let ifMatch = ["If-Match": "*"]
            let edit = #"{"name": "Argo"}"#
            let edited = try await service.send("PATCH", "/v1/listings/\(id)", edit, token: bruno, headers: ifMatch)
            #expect(edited.status == 200)
            func change(_ action: String, _ token: String) async throws {
                let body = #"{"action": "\#(action)", "ids": ["\#(id)"]}"#
                let answer = try await service.send("POST", "/v1/listings/bulk", body, token: token)
                #expect(answer.text("results", "0", "outcome") == "done")
            }
            try await change("closed", bruno)
            let key = #"{"name": "software", "scopes": ["listings:write"]}"#
            let made = try await service.send("POST", "\(path)/keys", key, token: anna)
            try await change("reopen", try made.created("token"))
            _ = try await service.send("DELETE", "\(path)/keys/\(try #require(made.text("id")))", token: anna)
            _ = try await service.send("PATCH", path, #"{"about": "Cani"}"#, token: anna)
            let removed = try await service.send("DELETE", "/v1/listings/\(id)", token: anna, headers: ifMatch)
            #expect(removed.status == 204)
            let told = try await Self.actions(service, path, anna)
            #expect(
                told.enumerated().filter { ![6, 7].contains($0.offset) }.map(\.element) == [
                    "listing.remove Anna Argo", "organisation.edit Anna -", "key.revoke Anna software",
                    "listing.status Canile Argo: found", "key.make Anna software", "listing.status Bruno Argo: closed",
                    "member.join Bruno volunteer",
                    "member.invite Anna volunteer",
                ])
            // Before the edit, the listing has no name but its code.
            #expect(told.count == 10 && told[6].hasPrefix("listing.edit Bruno "))
            #expect(told[7].hasPrefix("listing.post Bruno"))
            let first = try await service.send("GET", "\(path)/actions?limit=3", token: anna)
            let next = try #require(first.text("links", "1", "href").flatMap(URL.init(string:))?.query)
            let second = try await service.send("GET", "\(path)/actions?\(next)", token: anna)
            #expect(second.text("actions", "0", "key_name") == "software")
            #expect(second.text("actions", "1", "action") == "key.make")
            #expect(try await service.send("GET", "\(path)/actions", token: bruno).status == 403)
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": "anna@example.org", "password": "correct horse"])
            let page = try await visitor.get("/account/organisations/\(path.suffix(36))/actions").html
            #expect(page.contains("API key “software”") && page.contains("Posted a listing"))
            #expect(page.contains("Made a key") && page.contains("software") && page.contains(">Anna<"))
            let me = try #require(try await service.send("GET", "/v1/me", token: bruno).text("id"))
            #expect(try await service.send("DELETE", "\(path)/members/\(me)", token: bruno).status == 204)
            #expect(try await Self.actions(service, path, anna).first == "member.leave Bruno -")
        }
    }

    @Test("Posts of keys, answers to matches and imports are in the log of the organisation")
    func keysAndImports() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let made = try await service.send(
                "POST", "\(path)/keys", #"{"name": "software", "scopes": ["listings:write", "imports:write"]}"#,
                token: anna)
            let key = try made.created("token")
            let dog = #"{"status": "found", "name": "Argo", "place": "Salerno", "last_seen_at": "2026-01-10"}"#
            let put = try await service.send("PUT", "\(path)/animals/A-1", dog, token: key)
            #expect(put.status == 201)
            let again = try await service.send("PUT", "\(path)/animals/A-1", dog, token: key)
            #expect(again.status == 200)
            let id = try #require(put.text("properties", "id") ?? put.text("id"))
            let owner = try await service.register("owner@example.org")
            let lost = try await service.post(#"{"status": "lost", "name": "Argo", "place": "Salerno"}"#, owner)
            let answer = try await service.send(
                "PUT", "/v1/listings/\(id)/matches/\(lost)", #"{"answer": "no"}"#, token: anna)
            #expect(answer.status == 200, "\(answer.html)")
            let file = "reference,status,place\nB-1,found,Salerno\nB-2,found,Salerno\n"
            _ = try await service.ended(
                try await service.upload(file, anna, "?organisation=\(path.suffix(36))&source=list"), anna)
            // A trial changes nothing, and is no action.
            _ = try await service.ended(
                try await service.upload(file, anna, "?organisation=\(path.suffix(36))&source=list&dry_run=true"), anna)
            let told = try await Self.actions(service, path, anna)
            #expect(
                told == [
                    "import.listings Anna 2/0/0 list", "match.no Anna Argo", "listing.post Canile Argo",
                    "key.make Anna software",
                ], "\(told)")
        }
    }

    @Test("Members without a required second factor can only read until they set one up")
    func secondFactor() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let bruno = try await OrganisationRoutesTests.join(service, path, "bruno", "manager", anna)
            let id = try await OrganisationRoutesTests.post(service, path, bruno)
            let (factor, required) = ("\(path)/second-factor", #"{"required": true}"#)
            // A manager who has none would shut oneself out.
            let refused = try await service.send("PUT", factor, required, token: anna)
            #expect(refused.status == 409 && refused.text("field") == "required")
            #expect(try await service.send("PUT", factor, "{}", token: anna).text("field") == "required")
            _ = try await service.addSecondFactor(anna)
            #expect(try await service.send("PUT", factor, required, token: anna).status == 204)
            let members = try await service.send("GET", "\(path)/members", token: bruno)
            #expect(members.status == 200 && members["second_factor_required"] == .bool(true))
            let own = try await service.send("GET", "/v1/me/listings?organisation=\(path.suffix(36))", token: bruno)
            #expect(own.status == 200 && own.html.contains(id))
            #expect(try await service.send("GET", "\(path)/matches", token: bruno).status == 200)
            func writes(_ token: String) async throws -> [Int] {
                func send(
                    _ method: String,
                    _ path: String,
                    _ body: String,
                    _ headers: [String: String] = [:]
                ) async throws -> RunningService.Answer {
                    try await service.send(method, path, body, token: token, headers: headers)
                }
                let post = #"{"status": "found", "place": "Salerno", "organisation": "\#(path.suffix(36))"}"#
                let bulk = try await send("POST", "/v1/listings/bulk", #"{"action": "renew", "ids": ["\#(id)"]}"#)
                return [
                    try await send("PATCH", "/v1/listings/\(id)", #"{"name": "A"}"#, ["If-Match": "*"]).status,
                    try await send("POST", "/v1/listings", post).status,
                    try await send("POST", "\(path)/keys", #"{"name": "x", "scopes": ["listings:read"]}"#).status,
                    try await send("PATCH", path, #"{"about": "x"}"#).status,
                    try await send("PUT", factor, #"{"required": false}"#).status,
                    bulk.text("results", "0", "outcome") == "done" ? 200 : 403,
                ]
            }
            #expect(try await writes(bruno) == [403, 403, 403, 403, 403, 403])
            // Who does not want one can leave, and nothing else.
            let dora = try await OrganisationRoutesTests.join(service, path, "dora", "volunteer", anna)
            let dorasID = try #require(try await service.send("GET", "/v1/me", token: dora).text("id"))
            let other = try #require(try await service.send("GET", "/v1/me", token: bruno).text("id"))
            #expect(try await service.send("DELETE", "\(path)/members/\(other)", token: dora).status == 403)
            #expect(try await service.send("DELETE", "\(path)/members/\(dorasID)", token: dora).status == 204)
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": "bruno@example.org", "password": "correct horse"])
            let page = try await visitor.get("/account/organisations/\(path.suffix(36))").html
            #expect(
                page.contains("Until you set one up, you can only read") && page.contains("without a second factor"))
            #expect(try await visitor.get("/listings/\(id)/edit").status == 200)
            #expect(try await visitor.submit("/listings/\(id)/status", ["status": "closed"]).status == 403)
            _ = try await service.addSecondFactor(bruno)
            #expect(try await writes(bruno) == [200, 201, 201, 200, 204, 200])
        }
    }

    @Test("What was done more than a year ago is forgotten")
    func pruning() async throws {
        let board = try await TestDatabase()
        let (store, anna) = (OrganisationStore(board.database), try await board.user("anna@example.org"))
        var content = Organisation.Content()
        content.name = "Canile"
        let organisation = try await store.create(content, by: anna)
        _ = try await store.invite("bruno@example.org", as: .volunteer, to: organisation.id, by: anna)
        func count() throws -> Int {
            try store.findActions(of: organisation.id, for: anna, limit: 10, before: nil).count
        }
        try await store.pruneActions(at: Timestamp.now.adding(days: 364))
        #expect(try count() == 1)
        try await store.pruneActions(at: Timestamp.now.adding(days: 366))
        #expect(try count() == 0)
    }
}
