import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Telephone numbers over HTTP")
struct TelephoneRoutesTests {
    private static func site(area: String?) throws -> SiteSettings {
        var site = SiteSettings()
        site.mapArea = try area.map { try BoundingBox(parsing: $0) }
        return site
    }

    private static func listing(lon: Double, lat: Double, _ number: String) -> String {
        #"{"status": "lost", "lon": \#(lon), "lat": \#(lat), "contact_phone": "\#(number)", "contact_phone_public": true}"#
    }

    @Test("A listing has its number as typed and with the code of its country, which follows it to another country")
    func listings() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(Self.listing(lon: 14.79, lat: 40.77, "089/123456 int. 5"), token)
            func expect(_ e164: String?, _ comment: Comment) async throws {
                for (path, caller) in [("/v1/listings/\(id)", token), ("/v1/listings/\(id)", nil)] {
                    let shown = try await service.send("GET", path, token: caller)
                    #expect(shown.text("properties", "contact_phone") == "089/123456 int. 5", comment)
                    #expect(shown.text("properties", "contact_phone_e164") == e164, comment)
                }
                for path in ["/v1/listings", "/v1/listings.geojson", "/collections/listings/items"] {
                    let found = try #require(try await service.send("GET", path).features.first)
                    #expect(found["properties"]?["contact_phone_e164"] == e164.map(JSONValue.string), comment)
                }
            }
            try await expect("+39089123456", "in Fisciano")
            let page = try await service.send("GET", "/listings/\(id)").html
            #expect(page.contains(#"href="tel:+39089123456;ext=5""#) && page.contains("089 123456 int. 5"))
            let move = #"{"lon": 7.59, "lat": 47.56}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(id)", move, token: token).status == 200)
            try await expect(nil, "in Basel, where no number begins so")
            let number = #"{"contact_phone": "078 123 45 67", "contact_phone_public": false}"#
            #expect(try await service.send("PATCH", "/v1/listings/\(id)", number, token: token).status == 200)
            let own = try await service.send("GET", "/v1/listings/\(id)", token: token)
            #expect(own.text("properties", "contact_phone_e164") == "+41781234567")
            for path in ["/v1/listings/\(id)", "/v1/listings", "/listings/\(id)"] {
                let hidden = String(decoding: try await service.send("GET", path).body, as: UTF8.self)
                #expect(!hidden.contains("e164") && !hidden.contains("1234567") && !hidden.contains("tel:"))
            }
            #expect(try await service.board.database.check().findings.flatMap(\.problems) == [])
        }
    }

    @Test("A number that its country does not have is refused with an example, in the API and in forms")
    func refusals() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            for (lon, lat, number, problem) in [
                (
                    14.79, 40.77, "12345",
                    "contact_phone: expected a telephone number like +39 312 345 6789: 12345 is too short"
                ),
                (7.59, 47.56, "079 123 45", "+41 78 123 45 67: 079 123 45 is too short"),
                (14.79, 40.77, "+33 6 12", "+33 6 12 34 56 78: +33 6 12 is too short"),
                (14.79, 40.77, "333 1234567, 089 123456", "expected one number, found 333 1234567 and 089 123456"),
            ] {
                let answer = try await service.send(
                    "POST", "/v1/listings", Self.listing(lon: lon, lat: lat, number), token: token)
                #expect(answer.status == 400 && answer.text("field") == "contact_phone")
                #expect(answer.text("detail")?.hasSuffix(problem) == true, "\(answer.text("detail") ?? "")")
            }
            let id = try await service.post(Self.listing(lon: 7.59, lat: 47.56, "0041 78 123 45 67"), token)
            let edit = #"{"contact_phone": "1234"}"#
            let edited = try await service.send("PATCH", "/v1/listings/\(id)", edit, token: token)
            #expect(edited.status == 400 && edited.text("field") == "contact_phone")
            let writer = try await service.guest()
            for (path, body) in [
                ("messages", #"{"text": "I saw him", "contact_phone": "079 123"}"#),
                ("sightings", #"{"lon": 7.6, "lat": 47.55, "contact_phone": "079 123"}"#),
            ] {
                let answer = try await service.send("POST", "/v1/listings/\(id)/\(path)", body, token: writer)
                #expect(answer.status == 400 && answer.text("field") == "contact_phone", "\(path)")
            }
        }
    }

    @Test("Messages and sightings have their numbers with the code of the listing's country")
    func messages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, writer) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing(lon: 7.59, lat: 47.56, "078 123 45 67"), owner)
            let text = #"{"text": "I saw him", "contact_phone": "079 765 43 21"}"#
            let sent = try await service.send("POST", "/v1/listings/\(id)/messages", text, token: writer)
            #expect(sent.status == 201 && sent.text("contact_phone_e164") == "+41797654321")
            let conversation = try #require(sent.text("conversation"))
            for reader in [owner, writer] {
                let read = try await service.send("GET", "/v1/me/conversations/\(conversation)", token: reader)
                #expect(read.text("messages", "0", "contact_phone") == "079 765 43 21")
                #expect(read.text("messages", "0", "contact_phone_e164") == "+41797654321")
                #expect(read.text("last_message", "contact_phone_e164") == "+41797654321")
            }
            let seen = #"{"lon": 7.6, "lat": 47.55, "contact_phone": "+39 089 123456"}"#
            let added = try await service.send("POST", "/v1/listings/\(id)/sightings", seen, token: writer)
            #expect(added.status == 201 && added.text("contact_phone_e164") == "+39089123456")
            let others = try await service.send("GET", "/v1/listings/\(id)/sightings")
            #expect(
                others["sightings", "0", "contact_phone_e164"] == nil
                    || others["sightings", "0", "contact_phone_e164"] == .null)
        }
    }

    @Test("Numbers of profiles are read in the country in which most of the site's map area lies")
    func profiles() async throws {
        for (area, number, e164) in [
            ("6.6,35.5,18.5,47.1", "089 3234567", "+390893234567"),
            ("14.4,40.0,15.8,40.9", "089 3234567", "+390893234567"),
            ("7.0,46.9,8.0,47.4", "078 123 45 67", "+41781234567"), ("-30,30,-29,31", "089 3234567", nil),
            (nil, "089 3234567", nil), (nil, "+39 089 3234567", "+390893234567"),
        ] {
            try await RunningService.with(hasModel: false, site: try Self.site(area: area)) { service in
                let token = try await service.guest()
                let edited = try await service.send("PATCH", "/v1/me", #"{"phone": "\#(number)"}"#, token: token)
                #expect(edited.status == 200 && edited.text("phone") == number, "\(area ?? "")")
                #expect(edited.text("phone_e164") == e164, "\(area ?? "")")
                let short = try await service.send("PATCH", "/v1/me", #"{"phone": "12345"}"#, token: token)
                let hasCountry = area != nil && e164 != nil
                #expect(short.status == (hasCountry ? 400 : 200) && short.text("field") == (hasCountry ? "phone" : nil))
            }
        }
    }

    @Test("Numbers of organisations and points of interest are read where they are")
    func places() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("anna@example.org")
            let body = #"{"name": "Tierheim", "phone": "078 123 45 67", "lon": 7.59, "lat": 47.56}"#
            let made = try await service.send("POST", "/v1/organisations", body, token: token)
            #expect(made.status == 201 && made.text("phone_e164") == "+41781234567")
            let page = try await service.send("GET", "/organisations/\(try #require(made.text("id")))").html
            #expect(page.contains(#"href="tel:+41781234567""#) && page.contains("078 123 45 67"))
            let wrong = try await service.send(
                "POST", "/v1/organisations", body.replacing("078 123 45 67", with: "078 12"), token: token)
            #expect(wrong.status == 400 && wrong.text("field") == "phone")
            var pois: [PointOfInterest] = []
            for (lon, lat, phone) in [
                (7.59, 47.56, "061 123 45 67; 061 765 43 21"), (14.79, 40.77, "089 123456"),
                (7.6, 47.56, "+49 7621 12345"),
            ] {
                var poi = PointOfInterest(
                    category: .veterinary, coordinate: try #require(Coordinate(lon: lon, lat: lat)))
                poi.phone = phone
                pois.append(poi)
            }
            _ = try await service.board.pois.put(pois, source: "test")
            for path in ["/v1/pois?bbox=7,40,15,48&limit=10", "/collections/pois/items"] {
                let found = try await service.send("GET", path).features
                let numbers = Set(found.compactMap { $0["properties"]?["phone_e164"]?.text })
                #expect(numbers == ["+41611234567", "+39089123456", "+49762112345"], "\(path)")
            }
        }
    }
}

extension JSONValue {
    fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
}
