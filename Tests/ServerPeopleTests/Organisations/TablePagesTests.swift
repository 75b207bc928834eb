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
            let read = try await visitor.get("/my/table?q=gatta+Roma&lang=it&sort=name").html
            #expect(!read.contains(">Argo<") && read.contains(">Zoe<"))
            #expect(read.contains(#"href="/my/table?q=Roma&amp;sort=name" aria-label="Togli: Gatto, femmina""#))
            let cats = try await visitor.get("/my/table?species=cat&status=found").html
            #expect(!cats.contains(">Argo<") && cats.contains(">Zoe<"))
            #expect(try await visitor.get("/my/table?sort=colour").status == 400)
            #expect(try await visitor.get("/my/table?page=9").status == 200)
            let done = try await visitor.submit("/my/table", ["action": "closed", "ids": argo, "q": "box"])
            let address = try #require(done.location?.firstMatch(of: #/\/my\/table.*/#)).output
            let after = try await visitor.get(String(address)).html
            #expect(after.contains("1 listing closed.") && after.contains(#"value="reopen""#))
            let shown = try await service.send("GET", "/v1/listings/\(argo)")
            #expect(shown.text("properties", "status") == "closed")
            let codes = try #require(shown.text("properties", "code"))
            let undone = try await visitor.submit("/my/table", ["action": "reopen", "codes": codes])
            #expect(undone.location?.contains("did=reopen") == true)
            let again = try await service.send("GET", "/v1/listings/\(argo)")
            #expect(again.text("properties", "status") == "lost")
            let twice = try await visitor.submit("/my/table", ["action": "reopen", "codes": codes])
            #expect(twice.location?.contains("failed=1") == true)
            let stranger = try await service.post(#"{"status": "lost", "place": "Roma"}"#, try await service.guest())
            let refused = try await visitor.submit("/my/table", ["action": "closed", "ids": stranger])
            #expect(refused.location?.contains("failed=1") == true)
            #expect(
                try await visitor.submit("/my/table", ["action": "renew"]).location?.hasSuffix("table.none") == true
            )
            #expect(try await FormVisitor(service).get("/my/table").status == 401)
        }
    }

    @Test("Figures and a filter tell what arrived today, where the reader is")
    func arrivals() async throws {
        let clock = ManualClock()
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = String(path.suffix(36))
            for name in ["Argo", "Bruna"] {
                let body = """
                    {"status": "found", "name": "\(name)", "place": "Salerno", "organisation": "\(organisation)"}
                    """
                let id = try await service.post(body, anna)
                let days = name == "Argo" ? -2 : 0
                try await service.board.database.write { db in
                    try db.execute(
                        "UPDATE listing SET created_at = ? WHERE uuid = ?", [clock.now.adding(days: days), id])
                }
            }
            let visitor = try await Self.visitor(service, "anna@example.org")
            let all = try await visitor.get("/my/table?organisation=\(organisation)").html
            #expect(all.contains("2 open") && all.contains("1 arrived today") && all.contains("0 of your animals"))
            #expect(all.contains("href=\"/my/table?arrived=today&amp;organisation=\(organisation)\""))
            let today = try await visitor.get("/my/table?arrived=today&organisation=\(organisation)").html
            #expect(today.contains(">Bruna<") && !today.contains(">Argo<"))
            #expect(try await visitor.get("/my/table?arrived=yesterday").status == 400)
        }
    }

    @Test("A scanned microchip is looked for among the animals, and then on the board, which names none")
    func scans() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let organisation = String(path.suffix(36))
            func dog(_ number: Int, _ extra: String) -> String {
                #"{"name": "Zorro", "place": "Salerno", "microchip": "38026000000000\#(number)", \#(extra)}"#
            }
            let own = try await service.post(dog(1, #""status": "found", "organisation": "\#(organisation)""#), anna)
            let owner = try await service.register("owner@example.org")
            let other = try await service.post(dog(2, #""status": "lost""#), owner)
            let visitor = try await Self.visitor(service, "anna@example.org")
            func scan(_ number: String, in organisation: String? = nil) async throws -> FormVisitor.Page {
                var fields = ["number": number]
                fields["organisation"] = organisation
                return try await visitor.submit("/my/table/microchip", fields)
            }
            let found = try await scan("380260000000001", in: organisation)
            #expect(found.status == 200 && found.html.contains("one of these animals"))
            #expect(found.html.contains("href=\"/listings/\(own)\">Zorro"))
            #expect(found.headers["cache-control"]?.contains("no-store") == true)
            let elsewhere = try await scan("380 260 0000 0000 2", in: organisation).html
            #expect(elsewhere.contains("an animal on the board") && !elsewhere.contains(other))
            #expect(elsewhere.contains("action=\"/microchip\""))
            // The animal of the organisation is none of her own.
            #expect(try await scan("380260000000001").html.contains("an animal on the board"))
            #expect(try await scan("380260000000009", in: organisation).html.contains("no animal on the board"))
            let wrong = try await scan("12345", in: organisation)
            #expect(wrong.status == 400 && wrong.html.contains("aria-invalid"))
            for _ in 1...3 { _ = try await scan("380260000000009", in: organisation) }
            // Numbers of others cannot be tried out; those of the own animals are always found.
            let limited = try await scan("380260000000009", in: organisation)
            #expect(limited.status == 429 && limited.html.contains("role=\"alert\""))
            #expect(try await scan("380260000000001", in: organisation).status == 200)
            let stranger = try await Self.visitor(service, "owner@example.org")
            let refused = try await stranger.submit(
                "/my/table/microchip", ["number": "380260000000001", "organisation": organisation])
            #expect(refused.status == 403)
        }
    }

    @Test("Members print the sheet of a kennel with the microchip; others do not")
    func kennelSheet() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            let body = """
                {"status": "found", "name": "Argo", "place": "Salerno", "microchip": "380260000000001", "secret_mark": "scar",
                 "organisation": "\(path.suffix(36))"}
                """
            let id = try await service.post(body, anna)
            let visitor = try await Self.visitor(service, "anna@example.org")
            #expect(
                try await visitor.get("/listings/\(id)").html.contains("/listings/\(id)/kennel-sheet.pdf?format=a6"))
            for format in ["a5", "a6"] {
                let sheet = try await service.send(
                    "GET", "/listings/\(id)/kennel-sheet.pdf?format=\(format)", token: anna)
                #expect(sheet.status == 200 && sheet.headers["content-type"] == "application/pdf")
                #expect(sheet.headers["cache-control"] == "no-store")
            }
            #expect(try await visitor.get("/listings/\(id)/kennel-sheet.pdf?format=a4").status == 400)
            #expect(try await FormVisitor(service).get("/listings/\(id)/kennel-sheet.pdf").status == 401)
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

    @Test("Managers invite, make keys, change roles and end all of it on the page of members")
    func members() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, api) = try await OrganisationRoutesTests.make(service)
            _ = try await OrganisationRoutesTests.join(service, api, "bruno", "volunteer", anna)
            let path = "/account/organisations/\(api.suffix(36))"
            let visitor = try await Self.visitor(service, "anna@example.org")
            try await visitor.submit(path, ["action": "invite", "email": "carla@example.org", "role": "manager"])
            let invited = try await service.send("GET", "\(api)/invitations", token: anna)
            #expect(invited.text("invitations", "0", "email") == "carla@example.org")
            #expect(try await visitor.get(path).html.contains("carla@example.org"))
            let invitation = try #require(invited.text("invitations", "0", "id"))
            try await visitor.submit(path, ["action": "withdraw", "invitation": invitation])
            #expect(try await service.send("GET", "\(api)/invitations", token: anna)["invitations"] == [])

            let made = try await visitor.submit(path, ["action": "key", "name": "software", "scope": "listings:read"])
            let token = try #require(made.html.firstMatch(of: /dgf_[A-Za-z0-9_-]+/)?.output)
            #expect(try await service.send("GET", "/v1/me/listings", token: String(token)).status == 200)
            #expect(try await !visitor.get(path).html.contains(token))
            let unnamed = try await visitor.submit(path, ["action": "key", "name": "", "scope": "listings:read"])
            #expect(unnamed.status == 400 && unnamed.html.contains("aria-invalid"))
            let keys = try await service.send("GET", "\(api)/keys", token: anna)
            try await visitor.submit(path, ["action": "revoke", "key": try #require(keys.text("keys", "0", "id"))])
            #expect(try await service.send("GET", "/v1/me/listings", token: String(token)).status == 401)

            let found = try await service.send("GET", "\(api)/members", token: anna)
            let (me, bruno) = (
                try #require(found.text("members", "0", "id")), try #require(found.text("members", "1", "id"))
            )
            let last = try await visitor.submit(path, ["action": "remove", "member": me])
            #expect(last.status == 409)
            try await visitor.submit(path, ["action": "role", "member": bruno, "role": "manager"])
            let left = try await visitor.submit(path, ["action": "remove", "member": me])
            #expect(left.location?.contains("/account/organisations?") == true)
            #expect(try await visitor.get(path).status == 403)
            let volunteer = try await Self.visitor(service, "bruno@example.org")
            #expect(try await volunteer.get(path).html.contains("Make a key"))
        }
    }

    @Test("Managers change what everybody sees of the organisation on the page of members")
    func profile() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (anna, path) = try await OrganisationRoutesTests.make(service)
            _ = try await OrganisationRoutesTests.join(service, path, "bruno", "volunteer", anna)
            let page = "/account/organisations/\(path.suffix(36))"
            let visitor = FormVisitor(service)
            try await visitor.submit("/account/sign-in", ["email": "anna@example.org", "password": "correct horse"])
            let fields = [
                "action": "profile", "name": "Canile Nuovo", "website": "https://canile.example.org/",
                "about": "Cani e gatti",
            ]
            #expect(try await visitor.submit(page, fields).status == 303)
            let found = try await service.send("GET", path)
            #expect(found.text("name") == "Canile Nuovo" && found.text("website") == "https://canile.example.org/")
            #expect(found.text("phone") == nil && found.text("about") == "Cani e gatti")
            #expect(try await visitor.get(page).html.contains("value=\"Canile Nuovo\""))
            let wrong = try await visitor.submit(page, fields.merging(["website": "x"]) { $1 })
            #expect(wrong.status == 400 && wrong.html.contains("<details open>"), "\(wrong.status)")
            let other = FormVisitor(service)
            try await other.submit("/account/sign-in", ["email": "bruno@example.org", "password": "correct horse"])
            #expect(try await other.submit(page, fields).status == 403)
            #expect(try await !other.get(page).html.contains("value=\"profile\""))
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
