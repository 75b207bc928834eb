import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

@Suite("Sighting pages")
struct SightingPagesTests {
    private static let listing = #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77}"#

    private static func get(
        _ service: RunningService,
        _ path: String,
        cookie: String? = nil,
        token: String? = nil
    ) async throws -> RunningService.Answer {
        let headers = ["Accept": "text/html"].merging(cookie.map { ["Cookie": $0] } ?? [:]) { $1 }
        return try await service.send("GET", path, token: token, headers: headers)
    }

    private static func send(
        _ service: RunningService,
        _ path: String,
        _ fields: [String: String],
        cookie: String? = nil,
        token: String? = nil
    ) async throws -> RunningService.Answer {
        let form = fields.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
        }
        let headers = [
            "Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html", "Sec-Fetch-Site": "same-origin",
        ].merging(cookie.map { ["Cookie": $0] } ?? [:]) { $1 }
        return try await service.send("POST", path, bytes: Data(form.joined(separator: "&").utf8), token, headers)
    }

    @Test("A visitor becomes a guest by reporting a sighting, once, and the owner decides on the page")
    func visitor() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            let id = try await service.post(Self.listing, owner)
            let (listing, form) = ("/listings/\(id)", "/listings/\(id)/sighting")
            let page = try await Self.get(service, listing)
            #expect(page.html.contains("href=\"\(form)\"") && page.html.contains("I saw this dog"))
            let shown = try await Self.get(service, form)
            let cookie = try #require(shown.headers["set-cookie"]?.split(separator: ";").first.map(String.init))
            #expect(shown.headers["cache-control"] == "no-store" && shown.html.contains("name=\"seen_at\" value=\"2"))
            let fields = [
                "key": UUID().uuidString, "place": "Fisciano", "seen_at": "2026-05-01T12:30", "text": "By the river",
                "contact_phone": "089 7654321",
            ]
            let before = try await service.board.accounts.findAccounts(role: nil, limit: 100).count
            for wrong in [["place": "Nowhere at all"], ["seen_at": "2999-01-01T00:00"], ["contact_phone": "me"]] {
                let again = try await Self.send(service, form, fields.merging(wrong) { $1 }, cookie: cookie)
                #expect(again.status == 400 && again.html.contains("By the river"), "\(wrong)")
                #expect(again.html.contains("aria-invalid=\"true\""), "\(wrong)")
            }
            #expect(try await service.board.accounts.findAccounts(role: nil, limit: 100).count == before)
            for _ in 0..<2 {
                let sent = try await Self.send(service, form, fields, cookie: cookie)
                #expect(sent.status == 200 && sent.html.contains("Thank you!"))
                #expect(sent.html.contains("It is waiting for a confirmation."))
            }
            #expect(try await !Self.get(service, listing).html.contains("By the river"))
            #expect(try await Self.get(service, "/board", token: owner).html.contains("class=\"badge\">1<"))
            let inbox = try await Self.get(service, "/inbox", token: owner)
            #expect(inbox.html.contains("A new sighting of Argo") && inbox.html.contains("\(listing)#sightings"))
            let own = try await Self.get(service, listing, token: owner)
            #expect(own.html.contains("By the river") && own.html.contains("tel:+390897654321"))
            // The time is that of the listing's place, in Italy.
            #expect(own.html.contains("2026-05-01T10:30:00.000Z"))
            let list = try await service.send("GET", "/v1/listings/\(id)/sightings", token: owner)
            let decide = "\(listing)/sightings/\(try #require(list.text("sightings", "0", "id")))"
            #expect(list["numberReturned"] == .number(1))
            #expect(try await Self.send(service, decide, ["state": "maybe"], token: owner).status == 400)
            let confirmed = try await Self.send(service, decide, ["state": "confirmed"], token: owner)
            #expect(confirmed.status == 200 && confirmed.html.contains("value=\"dismissed\""))
            let seen = try await Self.get(service, listing)
            #expect(seen.html.contains("By the river") && !seen.html.contains("7654321"))
            #expect(seen.html.contains("data-sightings=\"[[1,"))
            #expect(!seen.html.contains("value=\"dismissed\""))
            #expect(try await !Self.get(service, "/board", token: owner).html.contains("class=\"badge\""))
            let dismissed = try await Self.send(service, decide, ["state": "dismissed"], token: owner)
            #expect(dismissed.html.contains("Dismissed (1)"))
            #expect(try await !Self.get(service, listing).html.contains("By the river"))
        }
    }

    @Test("Found and closed listings have no button, and their form leads to the listing")
    func others() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.guest()
            for status in ["found", "sighted", "reunited"] {
                let body = Self.listing.replacing("lost", with: status)
                let id = try await service.post(body, owner)
                #expect(try await !Self.get(service, "/listings/\(id)").html.contains("/sighting\""), "\(status)")
                #expect(try await Self.get(service, "/listings/\(id)/sighting").html.contains("<h1>Argo</h1>"))
                let sent = try await Self.send(service, "/listings/\(id)/sighting", ["place": "Fisciano"])
                #expect(sent.status == 409)
            }
        }
    }

    @Test("The owner of a lost animal attaches a sighted listing from its page, and others are not offered it")
    func attaching() async throws {
        try await RunningService.with(hasModel: false) { service in
            let (owner, author) = (try await service.guest(), try await service.guest())
            let id = try await service.post(Self.listing, owner)
            let seen = try await service.post(#"{"status": "sighted", "place": "Fisciano"}"#, author)
            let offer = "action=\"/listings/\(id)/sightings\""
            #expect(try await Self.get(service, "/listings/\(seen)", token: owner).html.contains(offer))
            for token in [nil, author] {
                #expect(try await !Self.get(service, "/listings/\(seen)", token: token).html.contains(offer))
            }
            let sent = try await Self.send(service, "/listings/\(id)/sightings", ["listing": seen], token: owner)
            #expect(sent.status == 200 && sent.html.contains("href=\"/listings/\(seen)\""))
            #expect(try await Self.get(service, "/listings/\(id)").html.contains("href=\"/listings/\(seen)\""))
        }
    }
}
