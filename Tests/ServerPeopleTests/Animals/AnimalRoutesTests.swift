import Domain
import Foundation
import HTTP
import Server
import ServerSupport
import TestSupport
import Testing

@Suite("Routes of animals with several listings")
struct AnimalRoutesTests {
    private static func sighted(_ hour: Int, lon: Double = 14.79) -> String {
        """
        {"status": "sighted", "species": "dog", "lon": \(lon), "lat": 40.77, "breed": "Beagle", "colour": "tricolore",
         "contact_phone": "089 1234567", "last_seen_at": "2026-11-02T0\(hour):00:00Z"}
        """
    }

    private static func page(
        _ service: RunningService,
        _ path: String,
        token: String? = nil
    ) async throws -> RunningService.Answer {
        try await service.send("GET", path, token: token, headers: ["Accept": "text/html", "Accept-Language": "en"])
    }

    /// Sends a form. The answer is the redirection, not where it leads.
    private static func form(
        _ service: RunningService,
        _ path: String,
        _ fields: [String: String],
        token: String?
    ) async throws -> RunningService.Answer {
        let body = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        let headers = [
            "Content-Type": "application/x-www-form-urlencoded", "Origin": "https://dogs.example.org",
            "Sec-Fetch-Site": "same-origin", "Accept": "text/html", "Accept-Language": "en",
        ]
        return try await service.send("POST", path, bytes: Data(body.utf8), token, headers, isFollowing: false)
    }

    private static func answer(
        _ answer: String,
        _ service: RunningService,
        _ own: String,
        _ other: String,
        token: String
    ) async throws -> RunningService.Answer {
        try await service.send(
            "PUT", "/v1/listings/\(own)/matches/\(other)", #"{"answer": "\#(answer)"}"#, token: token)
    }

    @Test("Two owners agree by the API, everybody reads the way of the animal, and one of them leaves")
    func api() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (ada, ben) = (try await service.guest(), try await service.guest())
            let first = try await service.post(Self.sighted(6), ada)
            let second = try await service.post(Self.sighted(8, lon: 14.8), ben)
            let matches = try await service.send("GET", "/v1/listings/\(second)/matches?side=same", token: ben)
            #expect(matches.text("matches", "0", "listing", "id") == first)
            #expect(matches["matches", "0", "days"] == .number(0))
            #expect(try await service.send("GET", "/v1/listings/\(second)/matches?side=left").text("field") == "side")
            #expect(try await service.send("GET", "/v1/listings/\(first)/animal").status == 404)
            #expect(try await service.send("DELETE", "/v1/listings/\(first)/animal", token: ada).status == 409)
            #expect(try await Self.answer("yes", service, second, first, token: ben).text("state") == "waiting")
            #expect(try await Self.answer("yes", service, first, second, token: ada).text("state") == "agreed")
            let animal = try await service.send("GET", "/v1/listings/\(second)/animal")
            #expect(animal.text("listings", "0", "id") == first && animal.text("listings", "1", "id") == second)
            #expect(
                animal.text("way", "0", "listing") == first && animal.text("way", "1", "at")?.contains("T08:00") == true
            )
            #expect(!animal.html.contains("089"), "contacts stay private")
            #expect(
                try await service.send("PUT", "/v1/listings/\(first)/matches/\(second)/home", token: ada).status == 409)
            #expect(try await service.send("DELETE", "/v1/listings/\(first)/animal", token: ben).status == 403)
            #expect(try await service.send("DELETE", "/v1/listings/\(first)/animal", token: ada).status == 204)
            #expect(try await service.send("GET", "/v1/listings/\(second)/animal").status == 404)
            let left = try await service.send("GET", "/v1/listings/\(first)/matches/\(second)", token: ada)
            #expect(left.text("answer") == "no" && left.text("state") == "rejected")
        }
    }

    @Test("On the pages, owners are asked, the animal has a page with its way, and a moderator parts and joins")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (ada, ben) = (try await service.guest(), try await service.guest())
            let admin = try await service.admin("root@example.org")
            let first = try await service.post(Self.sighted(6), ada)
            let second = try await service.post(Self.sighted(8), ben)
            let own = try await Self.page(service, "/listings/\(second)?posted", token: ben)
            #expect(own.html.contains("Is it the same animal?") && own.html.contains("The same day"))
            #expect(own.html.contains(#"action="/listings/\#(second)/matches/\#(first)""#))
            #expect(!(try await Self.page(service, "/listings/\(second)")).html.contains("Is it the same animal?"))
            let yes = try await Self.form(
                service, "/listings/\(second)/matches/\(first)", ["answer": "yes"], token: ben)
            #expect(yes.status == 303)
            let asked = try await Self.page(service, "/listings/\(first)", token: ada)
            #expect(asked.html.contains("Somebody says: the same animal"))
            let agreed = try await Self.form(
                service, "/listings/\(first)/matches/\(second)", ["answer": "yes"], token: ada)
            #expect(agreed.headers["location"] == "/listings/\(first)/animal")
            let reader = try await Self.page(service, "/listings/\(second)")
            #expect(reader.html.contains("There is another listing: where it went"))
            let animal = try await Self.page(service, "/listings/\(second)/animal")
            #expect(animal.html.contains("A dog, 2 listings") && animal.html.contains("data-way=\"[[1,14."))
            #expect(!animal.html.contains("Separate"), "a stranger separates nothing")
            #expect(animal.html.contains(#"rel="canonical" href="https://dogs.example.org/listings/\#(first)/animal""#))
            #expect(
                try await Self.page(service, "/listings/\(first)/animal", token: ada).html.contains(
                    "Separate my listing"))
            #expect(
                try await Self.page(service, "/listings/\(first)/animal", token: admin).html.contains(
                    "Separate this listing"))
            for token in [nil, try await service.guest()] {
                #expect(
                    [401, 403].contains(
                        try await Self.form(service, "/listings/\(first)/animal", [:], token: token).status))
            }
            #expect(try await Self.form(service, "/listings/\(first)/animal", [:], token: admin).status == 303)
            let single = try await Self.page(service, "/listings/\(first)/animal")
            #expect(single.html.contains("Beagle") && !single.html.contains("data-way"), "it leads to the listing")
            let list = try await Self.page(service, "/listings/\(first)/matches?side=same", token: admin)
            #expect(list.html.contains(#"name="join" value="\#(second)""#))
            let joined = try await Self.form(service, "/listings/\(first)/animal", ["join": second], token: admin)
            #expect(joined.headers["location"] == "/listings/\(first)/animal")
            #expect(
                try await Self.form(service, "/listings/\(first)/animal", ["join": second], token: ada).status == 403)
            #expect(try await Self.form(service, "/listings/\(first)/animal", [:], token: ada).status == 303)
        }
    }

    @Test("Moderators join and part by the API, and bad input is refused with its field")
    func moderators() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (token, admin) = (try await service.guest(), try await service.admin("root@example.org"))
            let first = try await service.post(Self.sighted(6), token)
            let second = try await service.post(Self.sighted(8), token)
            let join = "/v1/admin/listings/\(first)/join"
            #expect(try await service.send("POST", join, #"{"listing": "x"}"#, token: admin).text("field") == "listing")
            #expect(try await service.send("POST", join, #"{}"#, token: admin).text("field") == "listing")
            let body = #"{"listing": "\#(second)", "note": "one photo"}"#
            #expect(try await service.send("POST", join, body, token: token).status == 403)
            #expect(try await service.send("POST", join, body, token: admin).status == 204)
            #expect(try await service.send("POST", join, body, token: admin).status == 409)
            let part = "/v1/admin/listings/\(second)/part"
            #expect(try await service.send("POST", part, #"{"note": "two dogs"}"#, token: admin).status == 204)
            #expect(try await service.send("POST", part, token: admin).status == 409)
            let audit = try await service.send("GET", "/v1/admin/audit", token: admin)
            #expect(
                audit.text("entries", "0", "action") == "listing.part"
                    && audit.text("entries", "0", "note") == "two dogs")
        }
    }
}
