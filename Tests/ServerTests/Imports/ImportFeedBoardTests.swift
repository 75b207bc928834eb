import Channels
import Domain
import Foundation
import OutgoingHTTP
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Boards of other services", .enabled(if: Receiver.isAvailable))
struct ImportFeedBoardTests {
    /// Settings for requests to a server on loopback.
    private static func channels(to base: String) throws -> ChannelSettings {
        var settings = OutgoingSettings()
        settings.ports = [try #require(base.split(separator: ":").last.flatMap { Int($0) })]
        settings.allowedNetworks = ["127.0.0.1/32"].compactMap { IPNetwork($0) }
        settings.time = 600_000
        return .silent(settings)
    }

    private static func follow(
        _ url: String,
        _ service: RunningService,
        _ token: String,
        more: String = ""
    ) async throws -> String {
        try await service.send("POST", "/v1/import-feeds", #"{"url": "\#(url)"\#(more)}"#, token: token).created("id")
    }

    /// Waits for the end of the import with this number.
    private static func ended(_ number: Int, _ service: RunningService, _ token: String) async throws -> JSONValue {
        try await eventually("import \(number)") {
            let imports = try await service.send("GET", "/v1/imports", token: token)
            guard case .array(let list)? = imports["imports"], list.count == number,
                case .object(let last)? = list.first,
                last["ended_at"] != .null
            else { return nil }
            return last["rows"]
        }
    }

    @Test("Listings of another service are copied with their origin, follow it, and are not passed on")
    func following() async throws {
        try await RunningService.with(hasModel: false) { other in
            let clock = ManualClock()
            let channels = try Self.channels(to: other.base)
            try await RunningService.with(hasModel: false, channels: channels, now: clock.reading) { service in
                let owner = try await other.guest()
                let exact = try await other.post(
                    """
                    {"status": "lost", "name": "Argo", "breed": "Beagle", "sex": "male", "size": "small", "colour": "nero",
                     "marks": "zampa bianca", "lon": 14.79123, "lat": 40.77123, "location_precision": "exact",
                     "last_seen_at": "2026-05-01", "contact_name": "Anna", "contact_name_public": true,
                     "contact_phone": "+39 333 1234567", "contact_phone_public": true, "microchip": "380260000000001"}
                    """, owner)
                let area = try await other.post(
                    #"{"status": "found", "name": "Luna", "lon": 12.48, "lat": 41.89}"#, owner)
                let town = try await other.post(#"{"status": "sighted", "place": "Salerno"}"#, owner)
                let token = try await service.register("bridge@example.org")
                let feed = try await Self.follow(
                    "\(other.base)/v1/listings.geojson", service, token, more: #", "close_missing": "true""#)
                #expect(try await Self.ended(1, service, token)["created"] == .number(3))
                for id in [exact, area, town] {
                    let (first, copy) = (
                        try await other.send("GET", "/v1/listings/\(id)"),
                        try await service.send("GET", "/v1/listings/\(id)")
                    )
                    #expect(copy.text("properties", "origin") == "\(other.base)/listings/\(id)")
                    #expect(first["properties", "origin"] == nil && copy["geometry"] == first["geometry"], "\(id)")
                    for name in [
                        "status", "species", "name", "breed", "sex", "size", "colour", "marks", "last_seen_at",
                        "last_seen_precision", "approximate", "location_precision", "place", "contact_name",
                        "contact_phone",
                        "contact_email", "created_at",
                    ] {
                        #expect(copy["properties", name] == first["properties", name], "\(name) of \(id)")
                    }
                }
                for path in ["/v1/listings", "/v1/listings.csv", "/collections/listings/items"] {
                    #expect(
                        try await service.send("GET", path).html.contains("\(other.base)/listings/\(exact)"), "\(path)")
                }
                let page = try await service.send("GET", "/listings/\(exact)", headers: ["Accept-Language": "en"]).html
                #expect(page.contains("href=\"\(other.base)/listings/\(exact)\"") && page.contains("Open it there"))
                #expect(page.contains("<link rel=\"canonical\" href=\"\(other.base)/listings/\(exact)\""))
                #expect(!page.contains("/write\"") && !page.contains("/sighting\""))
                let guest = try await service.guest()
                for (path, body) in [
                    ("messages", #"{"text": "L'ho visto"}"#),
                    ("sightings", #"{"lon": 14.79, "lat": 40.77, "seen_at": "2026-05-02T10:00:00Z", "text": "qui"}"#),
                ] {
                    let answer = try await service.send("POST", "/v1/listings/\(exact)/\(path)", body, token: guest)
                    #expect(answer.status == 409 && answer.text("field") == "origin", "\(path): \(answer.html)")
                }
                // What is told at the other service is told here, and what is gone there is closed.
                try await other.send("PATCH", "/v1/listings/\(exact)", #"{"colour": "bianco"}"#, token: owner)
                try await other.send("DELETE", "/v1/listings/\(area)", token: owner)
                clock.advance(hours: 1)
                try await service.send("POST", "/v1/import-feeds/\(feed)/run", token: token)
                let second = try await Self.ended(2, service, token)
                #expect(
                    second["updated"] == .number(1) && second["closed"] == .number(1)
                        && second["rejected"] == .number(0))
                #expect(try await service.send("GET", "/v1/listings/\(exact)").text("properties", "colour") == "bianco")
                #expect(try await service.send("GET", "/v1/listings/\(area)").text("properties", "status") == "closed")
                let feeds = try await service.send("GET", "/v1/import-feeds", token: token)
                #expect(feeds["import_feeds", "0", "open_listings"] == .number(2))
            }
        }
    }

    @Test("What a service has copied is left out by who follows it, also by those it was copied from")
    func echo() async throws {
        try await RunningService.with(hasModel: false) { other in
            let owner = try await other.guest()
            let own = try await other.post(#"{"status": "lost", "name": "Argo", "place": "Salerno"}"#, owner)
            let copied = try await other.post(#"{"status": "lost", "name": "Luna", "place": "Roma"}"#, owner)
            try await other.board.database.write { db in
                try db.execute(
                    "UPDATE listing SET origin = 'https://third.example/listings/1' WHERE uuid = ?", [copied])
            }
            for path in ["/v1/listings.geojson", "/v1/listings.csv"] {
                let channels = try Self.channels(to: other.base)
                try await RunningService.with(hasModel: false, channels: channels) { service in
                    let token = try await service.register("bridge@example.org")
                    _ = try await Self.follow(other.base + path, service, token)
                    let rows = try await Self.ended(1, service, token)
                    #expect(rows["created"] == .number(1) && rows["rejected"] == .number(0), "\(path)")
                    let listing = try await service.send("GET", "/v1/listings/\(own)")
                    #expect(listing.text("properties", "origin") == "\(other.base)/listings/\(own)")
                    #expect(try await service.send("GET", "/v1/listings/\(copied)").status == 404)
                }
            }
        }
    }

    @Test("A listing that began here does not become a copy, whoever owns it")
    func originals() async throws {
        try await RunningService.with(hasModel: false) { other in
            let owner = try await other.guest()
            var ids: [String] = []
            for name in ["Argo", "Luna", "Bea"] {
                ids.append(try await other.post(#"{"status": "lost", "name": "\#(name)", "place": "Salerno"}"#, owner))
            }
            let channels = try Self.channels(to: other.base)
            try await RunningService.with(hasModel: false, channels: channels) { [ids] service in
                let (token, stranger) = (try await service.register("bridge@example.org"), try await service.guest())
                for (id, poster) in zip(ids, [token, stranger]) {
                    let own = try await service.post(#"{"status": "found", "name": "Zoe", "place": "Roma"}"#, poster)
                    try await service.board.database.write { db in
                        try db.execute("UPDATE listing SET uuid = ? WHERE uuid = ?", [id, own])
                    }
                }
                _ = try await Self.follow(other.base + "/v1/listings.geojson", service, token)
                let rows = try await Self.ended(1, service, token)
                #expect(rows["created"] == .number(1) && rows["rejected"] == .number(2))
                for id in ids.prefix(2) {
                    let listing = try await service.send("GET", "/v1/listings/\(id)")
                    #expect(listing.text("properties", "name") == "Zoe" && listing["properties", "origin"] == nil)
                }
            }
        }
    }

    @Test("The pages of a board are one file, up to a limit", arguments: [(3, "imported"), (101, "too_large")])
    func pages(count: Int, outcome: String) async throws {
        let receiver = try TakingReceiver(scheme: .http)
        try await RunningService.with(hasModel: false, channels: .silent(receiver.settings)) { service in
            let token = try await service.register("bridge@example.org")
            _ = try await Self.follow("http://127.0.0.1:\(receiver.port)/pages/1/\(count)", service, token)
            let found = try await eventually("an outcome") {
                try await service.send("GET", "/v1/import-feeds", token: token).text(
                    "import_feeds", "0", "last_outcome")
            }
            #expect(found == outcome && receiver.begun.count == min(count, 100))
            guard outcome == "imported" else { return }
            #expect(try await Self.ended(1, service, token)["created"] == .number(Double(count)))
            let id = "00000000-0000-4000-8000-000000000003"
            let copy = try await service.send("GET", "/v1/listings/\(id)")
            #expect(copy.text("properties", "origin") == "http://127.0.0.1:\(receiver.port)/listings/\(id)")
        }
    }

    @Test(
        "The link to the next page is found among others",
        arguments: [
            ("<https://a/b?c=1,2>; rel=\"next\"", "https://a/b?c=1,2"),
            ("</a>; rel=self, </b>; rel=next; type=x", "/b"),
            ("</a>; rel=\"next\", </b>; rel=\"last\"", "/a"), ("</a>; rel=\"self\"", nil), ("", nil), ("<a", nil),
            ("</a>; title=\"next\"", nil),
        ] as [(String, String?)]
    )
    func links(header: String, link: String?) { #expect(ImportFeedPages.next(header) == link) }

    @Test(
        "The service is what comes before the path of its board",
        arguments: [
            ("https://dogs.example/v1/listings.geojson?status=lost", "https://dogs.example"),
            ("https://example.org/dogs/v1/listings?limit=200", "https://example.org/dogs"),
            ("https://example.org/collections/listings/items", "https://example.org"),
            ("https://example.org/files/board.json?x=/v1/listings", "https://example.org"),
        ]
    )
    func service(address: String, service: String) throws { #expect(try OutgoingURL(address).service == service) }
}
