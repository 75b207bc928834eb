import Domain
import Foundation
import Photos
import ServerSupport
import TestSupport
import Testing

@Suite("Pages that are found, installed and shared")
struct FindablePagesTests {
    private static func text(_ answer: RunningService.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    /// The width and height of a JPEG, such as "1200x630".
    private static func size(_ jpeg: Data) async throws -> String {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "picture.jpg")
        try jpeg.write(to: file)
        let photo = try await PhotoProcessor.built().process(file)
        return "\(photo.jpegs[0].width)x\(photo.jpegs[0].height)"
    }

    @Test("Every page links to the search by microchip, the search by photo and the alerts")
    func footer() async throws {
        try await RunningService.with(hasModel: false) { service in
            for path in ["/board", "/map", "/post", "/nothing"] {
                let page = Self.text(try await service.send("GET", path, headers: ["Accept": "text/html"]))
                let footer = try #require(page.split(separator: "<footer").last)
                for link in ["/microchip", "/photo-search", "/my/alerts"] {
                    #expect(footer.contains("href=\"\(link)\""), "\(path) \(link)")
                }
            }
        }
    }

    @Test("Previews of the site's pages have a title, a text, a language and a picture", arguments: Language.allCases)
    func previews(language: Language) async throws {
        try await RunningService.with(hasModel: false) { service in
            let address = "/picture.jpg?lang=\(language.rawValue)"
            for path in ["/", "/board", "/map", "/about"] {
                let answer = try await service.send(
                    "GET", "\(path)?lang=\(language.rawValue)", headers: ["Accept": "text/html"])
                let html = Self.text(answer)
                for property in ["title", "description", "locale", "image"] {
                    let count = html.matches(of: try Regex("<meta property=\"og:\(property)\" content=\"[^\"]+\">"))
                        .count
                    #expect(count == 1, "\(path) \(property)")
                }
                #expect(html.contains(#"og:image" content="https://dogs.example.org\#(address)">"#), "\(path)")
                #expect(
                    html.contains(#"og:locale" content="\#(language.properties.locale.replacing("_", with: "-"))">"#))
                #expect(html.contains(#"<meta name="twitter:card" content="summary_large_image">"#))
            }
            let picture = try await service.send("GET", address)
            #expect(picture.status == 200 && picture.headers["content-type"] == "image/jpeg")
            #expect(try await Self.size(picture.body) == "1200x630" && picture.body.count < 100_000)
            #expect(try await service.send("GET", address).body == picture.body)
        }
    }

    @Test("The picture of the site has its name")
    func pictureName() async throws {
        var pictures: Set<Data> = []
        for name in ["Cani di Salerno", "Dogs & Cats of Salerno"] {
            var site = SiteSettings()
            site.name = name
            try await RunningService.with(hasModel: false, site: site) { service in
                pictures.insert(try await service.send("GET", "/picture.jpg?lang=it").body)
            }
        }
        #expect(pictures.count == 2)
    }

    @Test(
        "The manifest is in the language of the pages, and everything that it names is there",
        arguments: Language.allCases)
    func manifest(language: Language) async throws {
        try await RunningService.with(hasModel: false) { service in
            let manifest = try await service.send("GET", "/manifest.webmanifest?lang=\(language.rawValue)")
            #expect(manifest.text("lang") == language.rawValue)
            for (index, form) in ["narrow", "wide"].enumerated() {
                let at = ["screenshots", "\(index)"]
                let path = try #require(manifest.text(at[0], at[1], "src"))
                let file = try await service.send("GET", path)
                #expect(file.status == 200 && file.headers["content-type"] == "image/jpeg")
                #expect(file.body.count <= 60_000, "\(form)")
                #expect(manifest.text(at[0], at[1], "form_factor") == form)
                #expect(try await Self.size(file.body) == manifest.text(at[0], at[1], "sizes"), "\(form)")
            }
            for (index, status) in Listing.Status.open.enumerated() {
                let url = try #require(manifest.text("shortcuts", "\(index)", "url"))
                #expect(url == "/post?status=\(status.rawValue)")
                let form = Self.text(try await service.send("GET", url))
                #expect(form.contains(#"value="\#(status.rawValue)" required checked"#))
            }
        }
    }

    @Test("The service worker does not keep the screenshots of the manifest")
    func shell() async throws {
        try await RunningService.with(hasModel: false) { service in
            let worker = Self.text(try await service.send("GET", "/sw.js"))
            #expect(worker.contains("\"icon-192.png\"") && !worker.contains(".jpg\""))
        }
    }

    @Test("A photo that another app shares is searched for without a session, and forms of other sites are refused")
    func shareTarget() async throws {
        try await RunningService.with { service in
            let manifest = try await service.send("GET", "/manifest.webmanifest")
            #expect(manifest.text("share_target", "method") == "POST")
            #expect(manifest.text("share_target", "enctype") == "multipart/form-data")
            let action = try #require(manifest.text("share_target", "action"))
            let name = try #require(manifest.text("share_target", "params", "files", "0", "name"))
            let photo = Data(try plainPNG(width: 60, height: 40, colour: [220, 30, 30]))
            let form = SentForm([:], photos: [photo], name: name)
            func share(from site: String) async throws -> RunningService.Answer {
                try await service.send(
                    "POST", action, bytes: form.body, nil, form.headers.merging(["Sec-Fetch-Site": site]) { $1 },
                    isFollowing: false)
            }
            // Browsers say "none" for what their user began outside of all sites.
            let found = try await share(from: "none")
            #expect(found.status == 303, "\(Self.text(found).prefix(300))")
            #expect(found.headers["location"]?.hasPrefix("/board?classification=") == true)
            #expect(try await share(from: "cross-site").status == 403)
        }
    }
}
