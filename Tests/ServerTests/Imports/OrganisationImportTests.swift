import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Imports for organisations")
struct OrganisationImportTests {
    private static let shelter = #"""
        {"name": "Rifugio Fido", "phone": "089 111222", "email": "rifugio@example.org", "address": "Fisciano (SA)"}
        """#

    /// Runs a service with an organisation of Anna, which has contacts.
    private static func with(
        quota: Quota = .none,
        _ body: (RunningService, _ organisation: String, _ anna: String) async throws -> Void
    ) async throws {
        try await RunningService.with(hasModel: false, quota: quota) { service in
            let anna = try await service.register("anna@example.org")
            let id = try await service.send("POST", "/v1/organisations", shelter, token: anna).created("id")
            try await body(service, id, anna)
        }
    }

    private static let csv = """
        reference,status,name,place,contact_phone
        B-1,found,Argo,Salerno,333 1234567
        B-2,found,Luna,,

        """

    @Test("An organisation owns the listings, and its contacts and place are those of rows that have none")
    func owner() async throws {
        try await Self.with { service, id, anna in
            let created = try await service.upload(Self.csv, anna, "?organisation=\(id)")
            #expect(created.status == 202 && created.text("organisation", "name") == "Rifugio Fido")
            let ended = try await service.ended(created, anna)
            #expect(ended["rows", "created"] == .number(2) && ended["rows", "rejected"] == .number(0))
            let found = try await service.send("GET", "/v1/listings?q=Argo")
            #expect(found.text("features", "0", "properties", "contact_phone") == "333 1234567")
            #expect(found.text("features", "0", "properties", "contact_email") == "rifugio@example.org")
            let other = try await service.send("GET", "/v1/listings?q=Luna")
            #expect(other.text("features", "0", "properties", "contact_phone") == "089 111222")
            #expect(other.text("features", "0", "properties", "place") == "Fisciano")
            let one = try #require(other.text("features", "0", "id"))
            let listing = try await service.send("GET", "/v1/listings/\(one)")
            #expect(listing.text("properties", "organisation", "name") == "Rifugio Fido")
            let table = try await service.send("GET", "/v1/me/listings", token: anna)
            #expect(table["features"] == [])
        }
    }

    @Test("Members see the imports of their organisation, others do not, and only members import for it")
    func access() async throws {
        try await Self.with { service, id, anna in
            let eva = try await service.register("eva@example.org")
            #expect(try await service.upload(Self.csv, eva, "?organisation=\(id)").status == 403)
            let unknown = try await service.upload(Self.csv, anna, "?organisation=\(UUID())")
            #expect(unknown.status == 404)
            let wrong = try await service.upload(Self.csv, anna, "?organisation=x")
            #expect(wrong.status == 400 && wrong.text("field") == "organisation")
            let invitation = try await service.send(
                "POST",
                "/v1/organisations/\(id)/invitations",
                #"{"email": "eva@example.org", "role": "volunteer"}"#,
                token: anna
            )
            #expect(invitation.status == 201)
            let created = try await service.upload(Self.csv, anna, "?organisation=\(id)")
            let path = "/v1/imports/\(try #require(created.text("id")))"
            #expect(try await service.send("GET", path, token: eva).status == 404)
            #expect(try await service.send("GET", "/v1/imports", token: eva)["imports"] == [])
            let mine = try await service.send("GET", "/v1/me/invitations", token: eva)
            let code = try #require(mine.text("invitations", "0", "id"))
            let accepted = try await service.send("POST", "/v1/me/invitations/\(code)", token: eva)
            #expect(accepted.status < 300, "\(accepted.html)")
            #expect(try await service.send("GET", path, token: eva).status == 200)
            let list = try await service.send("GET", "/v1/imports", token: eva)
            #expect(list.text("imports", "0", "organisation", "id") == id)
            #expect(try await service.send("DELETE", path, token: eva).status == 204)
        }
    }

    @Test("A verified organisation has room for 5,000 animals, and a trial counts what is opened alone")
    func room() async throws {
        let csv = { (count: Int, status: String) in
            "reference,status,place\n" + (1...count).map { "\(status)-\($0),\(status),Salerno\n" }.joined()
        }
        try await Self.with(quota: .standard) { service, id, anna in
            let own = try await service.ended(
                try await service.upload(csv(120, "closed") + csv(120, "found").dropFirst(23), anna, "?dry_run=true"),
                anna
            )
            // Closed listings take no room.
            #expect(own["rows", "created"] == .number(220) && own["rows", "rejected"] == .number(20))
            let path = "?organisation=\(id)&dry_run=true"
            let unverified = try await service.ended(try await service.upload(csv(120, "found"), anna, path), anna)
            #expect(unverified["rows", "created"] == .number(100))
            let admin = try await service.admin()
            let verified = try await service.send("POST", "/v1/admin/organisations/\(id)/verify", token: admin)
            #expect(verified.status < 300)
            let all = try await service.ended(try await service.upload(csv(1_200, "found"), anna, path), anna)
            #expect(all["rows", "created"] == .number(1_200))
            let page = try await service.send(
                "GET",
                "/my/imports?lang=en",
                headers: ["Cookie": "__Host-doggofinder=\(anna)"]
            )
            #expect(page.html.contains("Rifugio Fido can post 5,000 more listings."))
        }
    }

    @Test("An address is imported for an organisation, and its members see it")
    func feed() async throws {
        try await Self.with { service, id, anna in
            let body = #"{"url": "https://example.org/dogs.csv", "organisation": "\#(id)"}"#
            let created = try await service.send("POST", "/v1/import-feeds", body, token: anna)
            #expect(created.status == 201 && created.text("organisation", "id") == id)
            let list = try await service.send("GET", "/v1/import-feeds", token: anna)
            #expect(list.text("import_feeds", "0", "organisation", "name") == "Rifugio Fido")
            let eva = try await service.register("eva@example.org")
            #expect(try await service.send("POST", "/v1/import-feeds", body, token: eva).status == 403)
            let path = "/v1/import-feeds/\(try #require(created.text("id")))"
            #expect(try await service.send("DELETE", path, token: eva).status == 404)
            #expect(try await service.send("DELETE", path, token: anna).status == 204)
        }
    }

    @Test("A person's contacts are shown only where the row or the sender says so")
    func contacts() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("anna@example.org")
            for (query, phone) in [("", nil), ("?contacts=public", "333 1234567"), ("?contacts=private", nil)] {
                _ = try await service.ended(try await service.upload(Self.csv, token, query), token)
                let found = try await service.send("GET", "/v1/listings?q=Argo")
                #expect(found.text("features", "0", "properties", "contact_phone") == phone, "\(query)")
            }
        }
    }
}
