import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Feeds")
struct FeedRoutesTests {
    private static let markup = "]]></title>&<b>\"'\u{FFFE}\u{FFFF}</b>"

    private static func feed(_ service: RunningService, _ query: String = "") async throws -> Feed {
        try Feed(try await service.send("GET", "/feeds/listings.atom?lang=en" + query))
    }

    @Test("An entry contains the public data of a listing")
    func entries() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let id = try await service.post(
                #"{"status": "lost", "name": "Argo", "breed": "Pastore tedesco", "lon": 14.79, "lat": 40.77,"#
                    + #" "location_precision": "exact","#
                    + #" "contact_name": "Anna Verdi", "contact_name_public": true, "contact_phone": "089 1234567","#
                    + #" "contact_email": "anna@example.org", "microchip": "380260000000001"}"#,
                token
            )
            for (path, type) in [("atom", "application/atom+xml"), ("rss", "application/rss+xml")] {
                let answer = try await service.send("GET", "/feeds/listings.\(path)?lang=en", token: token)
                #expect(answer.headers["content-type"] == type + "; charset=utf-8")
                let entry = try #require(try Feed(answer).entries.first)
                #expect(entry["title"] == "Lost: Argo, German Shepherd, Fisciano (SA)")
                #expect(entry["id"] == "urn:uuid:\(id)" || entry["guid"] == "urn:uuid:\(id)")
                #expect(entry["georss:point"] == "40.77 14.79")
                #expect(entry["name"] == "Anna Verdi" || entry["dc:creator"] == "Anna Verdi")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(text.contains("https://dogs.example.org/listings/\(id)"))
                for secret in ["4567", "anna@", "38026"] { #expect(!text.contains(secret)) }
            }
            let italian = try await service.send(
                "GET",
                "/feeds/listings.atom",
                headers: ["Accept-Language": "it-IT,en;q=0.5"]
            )
            #expect(try Feed(italian).entries.first?["title"] == "Smarrito: Argo, Pastore tedesco, Fisciano (SA)")
        }
    }

    @Test("Every filter of the board applies to feeds")
    func filters() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.board.guest()
            let drafts = try (0..<60).map { number in
                try ListingStore.Draft.at(
                    14 + Double(number) / 30,
                    40.5,
                    Listing.Status.allCases[number % 5],
                    createdAt: Timestamp.now.adding(seconds: Double(number - 10_000))
                ) { content in
                    content.species = Species.allCases[number % 3]
                    content.name = number % 4 == 0 ? "Argo" : "Luna"
                    content.place = number % 2 == 0 ? "Salerno" : "Fisciano"
                    content.breed = number % 7 == 0 ? "german_shepherd" : nil
                    content.breedKey = content.breed
                    content.lastSeenAt = Timestamp.now.adding(seconds: Double(number - 60) * 86_400)
                }
            }
            try await service.board.fill(drafts, owner: owner)
            let day = Timestamp.now.adding(seconds: -20 * 86_400).text
            for filter in [
                "", "&status=lost", "&status=reunited,closed", "&species=cat", "&breed=german+shepherd",
                "&place=salerno", "&q=argo", "&lon=15&lat=40.5", "&lon=15&lat=40.5&radius=20000",
                "&bbox=14.5,40,15,41", "&since=\(day)", "&until=\(day)",
            ] {
                let wanted = try await service.send(
                    "GET",
                    "/v1/listings?sort=-created_at&limit=200&lang=en" + filter
                )
                let feed = try await Self.feed(service, "&limit=200" + filter)
                #expect(feed.entries.compactMap { $0["id"]?.dropFirst(9) } == wanted.ids.map { $0[...] }, "\(filter)")
                #expect(!feed.entries.isEmpty, "\(filter)")
                let board = try #require(feed.links["alternate"])
                #expect(board == "https://dogs.example.org/board?lang=en" + filter)
            }
            for bad in ["sort=created_at", "limit=201", "species=cow", "colour=red"] {
                #expect(try await service.send("GET", "/feeds/listings.atom?" + bad).status == 400, "\(bad)")
            }
        }
    }

    @Test("The pages of a feed have the same id and contain every listing once")
    func pages() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.board.guest()
            _ = try await service.board.listings.put((0..<120).map { try .at(Double($0), 1) }, owner: owner)
            var path: String? = "/feeds/listings.atom?lang=en&status=lost"
            var sizes: [Int] = []
            var (ids, names) = (Set<String>(), Set<String>())
            while let next = path {
                let feed = try Feed(try await service.send("GET", next))
                sizes.append(feed.entries.count)
                ids.formUnion(feed.entries.compactMap { $0["id"] })
                names.formUnion([feed.head["id"] ?? ""])
                #expect(feed.links["self"] == "https://dogs.example.org" + next)
                path = feed.links["next"].map { String($0.dropFirst("https://dogs.example.org".count)) }
            }
            #expect(sizes == [50, 50, 20] && ids.count == 120 && names.count == 1)
        }
    }

    @Test("A feed is well-formed XML even with hostile text")
    func hostileText() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.board.guest()
            let draft = try ListingStore.Draft.at(14, 40) { content in
                content.name = Self.markup + "\u{1}\u{B}"
                content.breed = Self.markup
                content.description = Self.markup + "\u{1F415}\u{0}\u{1B}"
                content.contactName = .init(value: Self.markup, isPublic: true)
                content.place = Self.markup
            }
            _ = try await service.board.listings.put([draft], owner: owner)
            for path in ["/feeds/listings.atom", "/feeds/listings.rss"] {
                let feed = try Feed(try await service.send("GET", path + "?lang=en"))
                let title = try #require(feed.entries.first?["title"])
                let shown = "]]></title>&<b>\"'</b>"
                #expect(title == "Lost: \(shown), \(shown), \(shown)")
                let noise = "?q=%22%3E%3Cx%3E&place=%22%3E%3Cx%3E%EF%BF%BE&breed=%26%3Cx%27"
                #expect(try Feed(try await service.send("GET", path + noise)).entries.isEmpty)
            }
        }
    }

    @Test("An unchanged feed gives 304, and a hidden listing changes the feed")
    func notModified() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            for name in ["Argo", "Luna"] {
                _ = try await service.post(#"{"status": "lost", "name": "\#(name)", "place": "Salerno"}"#, token)
            }
            let first = try await service.send("GET", "/feeds/listings.atom")
            let tag = try #require(first.headers["etag"])
            #expect(first.headers["last-modified"]?.hasSuffix(" GMT") == true)
            let known = ["If-None-Match": tag]
            let again = try await service.send("GET", "/feeds/listings.atom", headers: known)
            #expect(again.status == 304 && again.body.isEmpty && tag.hasSuffix(again.headers["etag"] ?? "-"))
            let argo = try #require(
                try await service.board.search.find(ListingQuery()).entries.map(\.listing)
                    .first { $0.content.name == "Argo" }
            )
            try await service.board.hide(argo)
            let later = try await service.send("GET", "/feeds/listings.atom", headers: known)
            #expect(later.status == 200)
            #expect(try Feed(later).entries.count == 1)
            let empty = try Feed(try await service.send("GET", "/feeds/listings.atom?species=other"))
            #expect(empty.entries.isEmpty && empty.head["updated"] != nil)
        }
    }

    @Test("The board links to its feed")
    func discovery() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "name": "Argo", "place": "Fisciano"}"#, token)
            for query in ["", "&place=Fisciano&radius=5000&sort=distance", "&status=lost&q=arg%26zzz&radius=&lon="] {
                let answer = try await service.send("GET", "/board?lang=en" + query)
                let html = String(decoding: answer.body, as: UTF8.self)
                let link = #/<link rel="alternate" type="application/atom\+xml" title="[^"]+" href="([^"]+)">/#
                let path = String(try #require(try link.firstMatch(in: html)?.1)).replacing("&amp;", with: "&")
                let feed = try await service.send("GET", path)
                #expect(feed.status == 200, "\(path)")
                #expect(try Feed(feed).entries.isEmpty == query.contains("arg%26zzz"), "\(path)")
            }
        }
    }
}

extension RunningService.Answer {
    /// The ids of the features in the answer.
    var ids: [String] {
        features.compactMap { feature in
            guard case .object(let members) = feature, case .string(let id)? = members["id"] else { return nil }
            return id
        }
    }
}
