import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@testable import Server

@Suite("Animals of organisations by reference")
struct OrganisationAnimalRoutesTests {
    private static let dog = #"{"status": "found", "name": "Argo", "breed": "Beagle", "place": "Salerno"}"#

    /// An organisation and one of its members.
    private struct Shelter {
        let service: RunningService
        let token: String
        let path: String

        init(_ service: RunningService) async throws {
            self.service = service
            (token, path) = try await OrganisationRoutesTests.make(service)
        }

        func put(
            _ body: String = dog,
            _ reference: String = "A-1",
            headers: [String: String] = [:]
        ) async throws -> RunningService.Answer {
            try await service.send("PUT", "\(path)/animals/\(reference)", body, token: token, headers: headers)
        }

        func close(_ reference: String = "A-1") async throws -> Int {
            try await service.send("DELETE", "\(path)/animals/\(reference)", token: token).status
        }

        func get(_ reference: String = "A-1") async throws -> RunningService.Answer {
            try await service.send("GET", "\(path)/animals/\(reference)", token: token)
        }

        func key(_ scope: APIKey.Scope) async throws -> String {
            let body = #"{"name": "software", "scopes": ["\#(scope.rawValue)"]}"#
            return try await service.send("POST", "\(path)/keys", body, token: token).created("token")
        }

        /// The number of listings, of all accounts.
        func count() async throws -> Int {
            try await service.board.database.read { db in try db.value("SELECT count(*) FROM listing") ?? 0 }
        }

        func events() async throws -> Int {
            try await service.board.database.read { db in try db.value("SELECT count(*) FROM event") ?? 0 }
        }
    }

    @Test(
        "A listing is created, replaced with its fields cleared and its photos kept, and not changed by the same again")
    func lifeCycle() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            #expect(try await shelter.get().status == 404)
            let made = try await shelter.put()
            let id = try made.created("id")
            #expect(made.headers["location"]?.hasSuffix("/v1/listings/\(id)") == true)
            #expect(made.text("properties", "reference") == "A-1" && made.text("properties", "name") == "Argo")
            let photo = Data(try plainPNG(width: 40, height: 30))
            let photos = "/v1/listings/\(id)/photos/1"
            #expect(try await service.send("PUT", photos, bytes: photo, shelter.token).status == 201)
            let long = #"{"status": "sighted", "place": "Fisciano", "reference": "A-1", "name": null}"#
            let replaced = try await shelter.put(long)
            #expect(replaced.status == 200 && replaced.text("id") == id && replaced.headers["location"] == nil)
            #expect(replaced["properties", "name"] == .null && replaced["properties", "breed"] == .null)
            #expect(
                replaced.text("properties", "place") == "Fisciano" && replaced.text("properties", "status") == "sighted"
            )
            #expect(replaced["properties", "photos", "0", "number"] == .number(1))
            let shown = try await shelter.get()
            #expect(shown.body == replaced.body && shown.headers["etag"] == replaced.headers["etag"])

            let old = "2026-01-01T00:00:00.000Z"
            try await service.board.database.write { db in
                try db.execute("UPDATE listing_renewal SET renewed_at = ?", [old])
            }
            let events = try await shelter.events()
            let same = try await shelter.put(long)
            #expect(same.status == 200 && same.headers["etag"] == replaced.headers["etag"])
            #expect(try await shelter.events() == events)
            let renewed: String? = try await service.board.database.read { db in
                try db.value("SELECT renewed_at FROM listing_renewal")
            }
            #expect(renewed.map { $0 > old } == true)
        }
    }

    @Test("Listings are closed and opened again; closing is repeatable")
    func closing() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            #expect(try await shelter.close() == 404)
            let id = try await shelter.put().created("id")
            #expect(try await shelter.close() == 204)
            let closed = try await shelter.get()
            #expect(closed.text("properties", "status") == "closed" && closed.text("properties", "name") == "Argo")
            #expect(try await shelter.close() == 204)
            #expect(try await shelter.get().headers["etag"] == closed.headers["etag"])
            let opened = try await shelter.put()
            #expect(opened.status == 200 && opened.text("id") == id)
            #expect(opened.text("properties", "status") == "found")
            let home = try await shelter.put(Self.dog.replacing("found", with: "reunited"))
            #expect(home.text("properties", "status") == "reunited")
            #expect(try await shelter.close() == 204)
            #expect(try await shelter.get().text("properties", "status") == "reunited")
        }
    }

    @Test("An animal that is home closes the listing that its match has joined with it, and opens it again")
    func homecoming() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let place = #""breed": "Beagle", "lon": 14.79, "lat": 40.77"#
            let owner = try await service.register("owner@example.org")
            let lost = try await service.post(#"{"status": "lost", \#(place)}"#, owner)
            let found = try await shelter.put(#"{"status": "found", \#(place)}"#).created("id")
            for (one, other, token) in [(lost, found, owner), (found, lost, shelter.token)] {
                let path = "/v1/listings/\(one)/matches/\(other)"
                #expect(try await service.send("PUT", path, #"{"answer": "yes"}"#, token: token).status == 200)
            }
            func status() async throws -> String? {
                try await service.send("GET", "/v1/listings/\(lost)").text("properties", "status")
            }
            #expect(try await shelter.put(#"{"status": "reunited", \#(place)}"#).status == 200)
            #expect(try await status() == "reunited")
            #expect(try await shelter.put(#"{"status": "found", \#(place)}"#).status == 200)
            #expect(try await status() == "lost")
        }
    }

    @Test("Missing contacts and a missing place are those of the organisation; null is the same as missing")
    func organisation() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let bare = #"{"status": "found", "contact_phone": null, "place": null}"#
            #expect(try await shelter.put(bare).text("field") == "place")
            let edit = #"{"email": "canile@example.org", "lon": 14.8, "lat": 40.77}"#
            #expect(try await service.send("PATCH", shelter.path, edit, token: shelter.token).status == 200)
            let id = try await shelter.put(bare).created("id")
            let shown = try await service.send("GET", "/v1/listings/\(id)")
            #expect(shown.text("properties", "contact_name") == "Canile")
            #expect(shown.text("properties", "contact_phone") == "+39 089 1234")
            #expect(shown.text("properties", "contact_email") == "canile@example.org")
            #expect(shown["geometry", "coordinates", "0"] == .number(14.8))
            let own = #"{"status": "found", "contact_phone": "+39 089 5678", "place": "Salerno"}"#
            let changed = try await shelter.put(own)
            #expect(changed.text("properties", "contact_phone") == "+39 089 5678")
            #expect(changed["properties", "contact_phone_public"] == .bool(true))
            let hidden = try await shelter.put(own.replacing("}", with: #", "contact_phone_public": false}"#))
            #expect(hidden["properties", "contact_phone_public"] == .bool(false))
            #expect(changed.text("properties", "place") == "Salerno")
        }
    }

    @Test("A breed that a photo shows stays until another one is sent")
    func predictedBreed() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let body = #"{"status": "found", "place": "Salerno"}"#
            _ = try await shelter.put(body).created("id")
            try await service.board.database.write { db in
                try db.execute("UPDATE listing SET breed = 'Beagle', breed_key = 'beagle', breed_predicted = TRUE")
            }
            let former = try await shelter.get()
            let same = try await shelter.put(body)
            #expect(same.text("properties", "breed") == "Beagle" && same.headers["etag"] == former.headers["etag"])
            let other = try await shelter.put(#"{"status": "found", "place": "Salerno", "breed": "Boxer"}"#)
            #expect(other.text("properties", "breed") == "Boxer")
            #expect(try await shelter.put(body)["properties", "breed"] == .null)
        }
    }

    @Test("Open listings count as those of posts do")
    func quota() async throws {
        try await RunningService.with(hasModel: false, quota: Quota(factor: 0.01)) { service in
            let shelter = try await Shelter(service)
            #expect(try await shelter.put().status == 201)
            #expect(try await shelter.put().status == 200)
            let refused = try await shelter.put(Self.dog, "A-2")
            let post = #"{"status": "lost", "place": "Salerno", "organisation": "\#(shelter.path.suffix(36))"}"#
            let posted = try await service.send("POST", "/v1/listings", post, token: shelter.token)
            #expect(refused.status >= 400 && refused.status == posted.status)
            #expect(refused.text("detail") == posted.text("detail"))
            #expect(try await shelter.get("A-2").status == 404)
            #expect(try await shelter.put(Self.dog.replacing("found", with: "closed"), "A-2").status == 201)
            #expect(try await shelter.put(Self.dog, "A-2").status == refused.status)
            #expect(try await shelter.close() == 204)
            #expect(try await shelter.put(Self.dog, "A-2").status == 200)
        }
    }

    @Test("Members and keys with the scope use references; others do not, and see nothing")
    func access() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let volunteer = try await OrganisationRoutesTests.join(
                service, shelter.path, "bruno", "volunteer", shelter.token)
            let stranger = try await service.register("other@example.org")
            let (reader, writer) = (try await shelter.key(.listingsRead), try await shelter.key(.listingsWrite))
            let foreign = try await service.send(
                "POST", "/v1/organisations", #"{"name": "Altro"}"#, token: stranger
            ).created("id")
            let foreignKey = try await service.send(
                "POST",
                "/v1/organisations/\(foreign)/keys",
                #"{"name": "software", "scopes": ["listings:read", "listings:write"]}"#,
                token: stranger
            ).created("token")
            let path = "\(shelter.path)/animals/A-1"
            let none = "/v1/organisations/\(UUID().uuidString)/animals/A-1"
            for (token, written, read) in [
                (shelter.token, 200, 200), (volunteer, 200, 200), (writer, 200, 403), (reader, 403, 200),
                (stranger, 403, 403), (foreignKey, 403, 403), (try await service.guest(), 403, 403), (nil, 401, 401),
            ] as [(String?, Int, Int)] {
                _ = try await shelter.put()
                #expect(try await service.send("PUT", path, Self.dog, token: token).status == written)
                #expect(try await service.send("GET", path, token: token).status == read)
                let closed = try await service.send("DELETE", path, token: token).status
                #expect(closed == (written == 200 ? 204 : written))
            }
            for method in ["GET", "PUT", "DELETE"] {
                let body = method == "PUT" ? Self.dog : nil
                #expect(try await service.send(method, none, body, token: shelter.token).status == 404, "\(method)")
            }
        }
    }

    @Test("Eight at once on one reference make one listing")
    func concurrency() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let answers = try await withThrowingTaskGroup(of: RunningService.Answer.self) { group in
                for number in 1...8 {
                    group.addTask { try await shelter.put(Self.dog.replacing("Argo", with: "Argo \(number)")) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.map(\.status).sorted() == Array(repeating: 200, count: 7) + [201])
            #expect(Set(answers.map { $0.text("id") }).count == 1)
            #expect(try await shelter.count() == 1)
        }
    }

    @Test("References have spaces, slashes and any letters; wrong ones are refused, and the field is named")
    func references() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let references = ["C-2026%2F117", "box%203", "caf%C3%A9", "%E7%8A%AC", "a%3Fb%23c", "50%25", "a+b"]
            for (reference, written) in zip(
                references, ["C-2026/117", "box 3", "café", "犬", "a?b#c", "50%", "a+b"]
            ) {
                let made = try await shelter.put(Self.dog, reference)
                #expect(made.status == 201 && made.text("properties", "reference") == written, "\(reference)")
                #expect(try await shelter.get(reference).text("id") == made.text("id"), "\(reference)")
                #expect(try await shelter.put(Self.dog, reference).status == 200, "\(reference)")
            }
            #expect(try await shelter.put(Self.dog, "%20box%203").status == 200)
            #expect(try await shelter.put(Self.dog, String(repeating: "%E7%8A%AC", count: 80)).status == 201)
            for reference in ["%20", "a%0Ab", "a%09b", String(repeating: "x", count: 81)] {
                for method in ["GET", "PUT", "DELETE"] {
                    let body = method == "PUT" ? Self.dog : nil
                    let path = "\(shelter.path)/animals/\(reference)"
                    let answer = try await service.send(method, path, body, token: shelter.token)
                    #expect(answer.status == 400 && answer.text("field") == "reference", "\(method) \(reference)")
                }
            }
        }
    }

    @Test("Wrong bodies are refused, the field is named, and nothing is written")
    func invalid() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let place = #""place": "Salerno""#
            for (body, field) in [
                (#"{"status": "found", "reference": 1, \#(place)}"#, "reference"),
                (#"{"status": "found", "id": "\#(UUID())", \#(place)}"#, "id"),
                (#"{"status": "found", "organisation": "\#(shelter.path.suffix(36))", \#(place)}"#, "organisation"),
                (#"{"status": "found", "paws": null, \#(place)}"#, "paws"), (#"{\#(place)}"#, "status"),
                (#"{"status": null, \#(place)}"#, "status"),
            ] {
                let answer = try await shelter.put(body)
                #expect(answer.status == 400 && answer.text("field") == field, "\(body)")
            }
            let other = try await shelter.put(#"{"status": "found", "reference": "A-2", \#(place)}"#)
            #expect(other.status == 409 && other.text("field") == "reference")
            let nowhere = try await shelter.put(#"{"status": "found", "whereabouts": ""}"#)
            #expect(nowhere.status == 409 && nowhere.text("field") == "place")
            #expect(try await shelter.count() == 0)
        }
    }

    @Test("A write can require a version, or that there is no listing")
    func preconditions() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            #expect(try await shelter.put(headers: ["If-Match": "*"]).status == 412)
            let made = try await shelter.put(headers: ["If-None-Match": "*"])
            #expect(made.status == 201)
            #expect(try await shelter.put(headers: ["If-None-Match": "*"]).status == 412)
            let tag = try #require(made.headers["etag"])
            let path = "\(shelter.path)/animals/A-1"
            let known = try await service.send(
                "GET", path, token: shelter.token, headers: ["If-None-Match": tag])
            #expect(known.status == 304)
            let other = Self.dog.replacing("Argo", with: "Brina")
            #expect(try await shelter.put(other, headers: ["If-Match": tag]).status == 200)
            #expect(try await shelter.put(headers: ["If-Match": tag]).status == 412)
            let close = try await service.send("DELETE", path, token: shelter.token, headers: ["If-Match": tag])
            #expect(close.status == 412)
            #expect(try await shelter.get().text("properties", "status") == "found")
        }
    }

    @Test("An import and this call know the same listing by its reference")
    func imports() async throws {
        try await RunningService.with(hasModel: false) { service in
            let shelter = try await Shelter(service)
            let id = try await shelter.put().created("id")
            let csv = "reference,status,name,place\nA-1,found,Bruna,Salerno\nA-2,found,Luna,Salerno\n"
            let query = "?organisation=\(shelter.path.suffix(36))"
            let sent = try await service.upload(csv, shelter.token, query)
            let ended = try await service.ended(sent, shelter.token)
            #expect(ended["rows", "created"] == .number(1) && ended["rows", "updated"] == .number(1))
            let changed = try await shelter.get()
            #expect(changed.text("id") == id && changed.text("properties", "name") == "Bruna")
            let put = try await shelter.put(Self.dog, "A-2")
            #expect(put.status == 200 && put.text("properties", "name") == "Argo")
            let again = try await service.ended(try await service.upload(csv, shelter.token, query), shelter.token)
            #expect(again["rows", "created"] == .number(0) && again["rows", "rejected"] == .number(0))
            #expect(try await shelter.count() == 2)
        }
    }
}
