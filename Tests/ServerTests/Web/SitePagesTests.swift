import Domain
import Foundation
import Pages
import ServerSupport
import Storage
import Testing

@Suite("Pages about the site")
struct SitePagesTests {
    private static func text(_ answer: RunningService.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private static func settings() throws -> SiteSettings {
        var site = SiteSettings()
        site.name = "Dogs & Cats of Salerno"
        site.region = "Provincia di Salerno"
        site.contact = "dogs@example.org"
        site.imprint = .text("Anna <Rossi>\nVia Roma 1")
        site.privacy = .link("https://example.org/privacy?a=1&b=2")
        site.mapArea = try BoundingBox(parsing: "14.3,39.9,15.9,41.1")
        return site
    }

    @Test("The name of the site stands in every place that names the site, and the footer links to its operator")
    func everyPage() async throws {
        let mailbox = Mailbox()
        try await RunningService.with(hasModel: false, site: try Self.settings(), mailer: mailbox.mailer) {
            service in
            let name = "Dogs &amp; Cats of Salerno"
            for path in ["/board?lang=en", "/map?lang=en", "/nothing?lang=en"] {
                let page = Self.text(try await service.send("GET", path, headers: ["Accept": "text/html"]))
                #expect(page.contains("· \(name)</title>") && page.contains("<span>\(name)</span>"), "\(path)")
                #expect(page.contains(#"og:site_name" content="\#(name)""#) && !page.contains("DoggoFinder"))
                let footer = try #require(page.split(separator: "<footer").last)
                for part in [
                    "Provincia di Salerno. ", #"href="/about""#, #"href="mailto:dogs@example.org""#,
                    #"href="/imprint""#, #"href="https://example.org/privacy?a=1&amp;b=2""#,
                ] { #expect(footer.contains(part), "\(path) \(part)") }
            }
            #expect(Self.text(try await service.send("GET", "/embed")).contains("· \(name)</title>"))
            for format in ["atom", "rss"] {
                #expect(
                    Self.text(try await service.send("GET", "/feeds/listings.\(format)")).contains("· \(name)</title>")
                )
            }
            let manifest = try await service.send("GET", "/manifest.webmanifest")
            #expect(manifest.text("name") == "Dogs & Cats of Salerno")
            #expect(manifest.text("short_name") == "Dogs & Cats of Salerno")
            #expect(try await service.send("GET", "/?f=json").text("title") == "Dogs & Cats of Salerno")
            let body = #"{"email": "anna@example.org", "password": "correct horse"}"#
            #expect(try await service.send("POST", "/v1/accounts", body).status == 202)
            #expect(try await mailbox.next().text.contains("Dogs & Cats of Salerno, https://dogs.example.org"))
        }
    }

    @Test("Without settings the site has the name of the software, and nothing about an operator")
    func defaults() async throws {
        try await RunningService.with(hasModel: false) { service in
            let page = Self.text(try await service.send("GET", "/about?lang=en"))
            #expect(page.contains("<span>DoggoFinder</span>") && page.contains(#"href="/about""#))
            for part in ["mailto:", #"href="""#, "Who runs", "data-map-area", "<dt></dt>"] {
                #expect(!page.contains(part), "\(part)")
            }
            #expect(page.contains(#"href="/imprint""#) && page.contains(#"href="/privacy""#))
        }
    }

    @Test("Without a text of the operator, the legal notice says how to ask", arguments: Language.allCases)
    func defaultImprint(language: Language) async throws {
        func text(_ site: SiteSettings) async throws -> String {
            var text = ""
            try await RunningService.with(hasModel: false, site: site) { service in
                text = Self.text(try await service.send("GET", "/imprint?lang=\(language.rawValue)"))
            }
            return text
        }
        let silent = try await text(SiteSettings())
        #expect(!silent.contains("mailto:"))
        var site = SiteSettings()
        site.contact = "dogs@example.org"
        let main = try #require(try await text(site).split(separator: "<main").last?.split(separator: "</main>").first)
        #expect(main.contains(#"<a href="mailto:dogs@example.org">dogs@example.org</a>"#))
    }

    @Test(
        "Without a text of the operator, the privacy text tells what this service does",
        arguments: [Language.english, .italian])
    func defaultPrivacy(language: Language) async throws {
        try await RunningService.with(hasModel: false) { service in
            let page = Self.text(try await service.send("GET", "/privacy?lang=\(language.rawValue)"))
            #expect(page.contains(#"href="/account/export""#) && page.contains(#"href="/account/delete""#))
            #expect(
                page.contains(language == .italian ? "Punto esatto, microchip" : "Only you and, where needed, admins"))
            // The retention times of listings and of sessions of users and guests.
            let main = try #require(page.split(separator: "<main").last)
            for days in ["90", "30", "365"] { #expect(main.contains(" \(days)"), "\(days)") }
            // This service loads no tiles and asks no other service.
            #expect(!page.contains("Mapillary"))
        }
    }

    @Test("The privacy text tells about each kind of data that the export of personal data contains")
    func privacyOfEverySection() {
        let told = StoredData.allCases.flatMap(\.sections)
        #expect(told.sorted() == PersonalData.sections.map(\.key).sorted())
    }

    @Test("Texts of the operator are shown as they were written, and links replace their pages")
    func statements() async throws {
        try await RunningService.with(hasModel: false, site: try Self.settings()) { service in
            let imprint = try await service.send("GET", "/imprint?lang=en")
            #expect(imprint.status == 200 && Self.text(imprint).contains("Anna &lt;Rossi&gt;\nVia Roma 1"))
            #expect(try await service.send("GET", "/privacy").status == 404)
            let about = Self.text(try await service.send("GET", "/about?lang=it"))
            for part in ["Chi gestisce il sito", ">dogs@example.org</a>", #"href="/imprint""#] {
                #expect(about.contains(part), "\(part)")
            }
        }
    }

    @Test("The figures count what the public can see, and reunions of the last 30 days apart")
    func figures() async throws {
        let clock = ManualClock(.now)
        try await RunningService.with(hasModel: false, now: clock.reading) { service in
            func numbers() async throws -> [String] {
                let page = Self.text(try await service.send("GET", "/about?lang=en"))
                return page.matches(of: #/<dd>([\d,]+)</dd>/#).map { String($0.1) }
            }
            let token = try await service.guest()
            var ids: [String] = []
            for status in ["lost", "lost", "lost", "found", "sighted", "reunited", "reunited", "closed"] {
                ids.append(try await service.post(#"{"status": "\#(status)", "lon": 14.79, "lat": 40.77}"#, token))
            }
            for index in [0, 5] {
                let id = try #require(UUID(uuidString: ids[index]))
                try await service.board.hide(try #require(try await service.board.listings.findListing(id: id)))
            }
            #expect(try await numbers() == ["2", "1", "1", "1", "1"])
            // The figures are kept for five minutes.
            _ = try await service.post(#"{"status": "found", "lon": 14.79, "lat": 40.77}"#, token)
            #expect(try await numbers() == ["2", "1", "1", "1", "1"])
            clock.advance(hours: 1)
            #expect(try await numbers() == ["2", "2", "1", "1", "1"])
            clock.advance(days: 31)
            #expect(try await numbers() == ["2", "2", "1", "1", "0"])
        }
    }
}
