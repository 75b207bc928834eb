import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Table and pages of organisations")
struct TablePagesTests {
    /// Signs in a visitor.
    private static func visitor(_ service: RunningService, _ email: String) async throws -> FormVisitor {
        let visitor = FormVisitor(service)
        try await visitor.submit("/account/sign-in", ["email": email, "password": "correct horse"])
        return visitor
    }

    @Test("The table finds by words, filters and sorts, and changes the chosen listings")
    func table() async throws {
        try await RunningService.with(hasModel: false) { service in
            let anna = try await service.register("anna@example.org")
            let argo = try await service.post(
                #"{"status": "lost", "name": "Argo", "place": "Salerno", "reference": "box 7"}"#,
                anna
            )
            _ = try await service.post(#"{"status": "found", "name": "Zoe", "species": "cat", "place": "Roma"}"#, anna)
            let visitor = try await Self.visitor(service, "anna@example.org")
            let all = try await visitor.get("/my/table?sort=name").html
            let (first, second) = (all.firstRange(of: ">Argo<"), all.firstRange(of: ">Zoe<"))
            #expect(try #require(first).lowerBound < (try #require(second)).lowerBound)
            let words = try await visitor.get("/my/table?q=BOX").html
            #expect(words.contains(">Argo<") && !words.contains(">Zoe<"))
            let cats = try await visitor.get("/my/table?species=cat&status=found").html
            #expect(!cats.contains(">Argo<") && cats.contains(">Zoe<"))
            #expect(try await visitor.get("/my/table?sort=colour").status == 400)
            #expect(try await visitor.get("/my/table?page=9").status == 200)
            let done = try await visitor.submit("/my/table", ["action": "closed", "ids": argo, "q": "box"])
            #expect(done.location?.hasSuffix("/my/table?q=box&done=table.done") == true)
            let shown = try await service.send("GET", "/v1/listings/\(argo)")
            #expect(shown.text("properties", "status") == "closed")
            #expect(
                try await visitor.submit("/my/table", ["action": "renew"]).location?.hasSuffix("table.none") == true
            )
            #expect(try await FormVisitor(service).get("/my/table").status == 401)
        }
    }

    @Test("Members post for their organisation, whose page shows it")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            _ = try await service.register("anna@example.org")
            let visitor = try await Self.visitor(service, "anna@example.org")
            let made = try await visitor.submit(
                "/account/organisations",
                ["name": "Canile <b>", "about": "Dal 1990", "website": "https://example.org"]
            )
            let path = try #require(made.location?.split(separator: "?").first.map(String.init))
            let id = String(path.suffix(36))
            #expect(try await visitor.get("/post").html.contains(id))
            let posted = try await visitor.submit(
                "/post",
                ["status": "found", "name": "Nerone", "place": "Salerno", "organisation": id]
            )
            #expect(posted.status == 303)
            let page = try await FormVisitor(service).get("/organisations/\(id)").html
            #expect(page.contains("Canile &lt;b&gt;") && page.contains("Nerone") && page.contains("Not verified yet"))
            let table = try await visitor.get("/my/table?organisation=\(id)").html
            #expect(table.contains(">Nerone<"))
            let other = FormVisitor(service)
            try await other.submit("/post", ["status": "lost", "place": "Salerno"])
            let refused = try await other.submit("/post", ["status": "lost", "place": "Roma", "organisation": id])
            #expect(refused.status == 403)
            #expect(try await other.get("/my/table?organisation=\(id)").status == 403)
            let empty = try await visitor.submit("/account/organisations", ["about": "x"])
            #expect(empty.status == 400 && empty.html.contains("aria-invalid"))
        }
    }

    @Test("Invitations are answered on the page of organisations")
    func invitations() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            _ = try await service.register("bruno@example.org")
            let body = #"{"email": "bruno@example.org"}"#
            let id = try await service.send("POST", "\(path)/invitations", body, token: anna).created("id")
            let visitor = try await Self.visitor(service, "bruno@example.org")
            #expect(try await visitor.get("/account/organisations").html.contains(id))
            let answer = try await visitor.submit("/account/invitations", ["id": id, "answer": "accept"])
            #expect(answer.status == 303)
            #expect(try await visitor.get("/account/organisations").html.contains("volunteer"))
        }
    }
}
