import Domain
import Foundation
import ServerSupport
import Storage
import Testing

@Suite("Search engines")
struct SitemapRoutesTests {
    private static func text(_ answer: RunningService.Answer) -> String { String(decoding: answer.body, as: UTF8.self) }

    private static func addresses(_ answer: RunningService.Answer) -> [String] {
        text(answer).matches(of: #/<loc>([^<]+)</loc>/#).map { String($0.1) }
    }

    private static func path(_ address: String) -> String {
        String(address.dropFirst("https://dogs.example.org".count))
    }

    @Test("robots.txt excludes private pages and names the sitemap")
    func robots() async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("GET", "/robots.txt")
            #expect(answer.status == 200 && answer.headers["content-type"]?.hasPrefix("text/plain") == true)
            let lines = Self.text(answer).split(separator: "\n")
            #expect(lines.first == "User-agent: *")
            for path in ["/my", "/account", "/moderation", "/inbox", "/listings/*/write"] {
                #expect(lines.contains("Disallow: \(path)"))
            }
            #expect(!lines.contains { $0 == "Disallow: /" || $0 == "Disallow: /board" || $0 == "Disallow: /listings" })
            #expect(lines.contains("Sitemap: https://dogs.example.org/sitemap.xml"))
        }
        try await RunningService.with(hasModel: false, baseURL: "https://dogs.example.org/a&b") { service in
            let robots = Self.text(try await service.send("GET", "/robots.txt"))
            #expect(robots.contains("Disallow: /a&b/my\n") && robots.contains("org/a&b/sitemap.xml"))
            _ = try await service.post(#"{"status": "lost", "lon": 10, "lat": 45}"#, try await service.guest())
            #expect(Self.text(try await service.send("GET", "/sitemap.xml")).contains("org/a&amp;b/sitemap/lost/0<"))
        }
    }

    @Test("The sitemap lists the open listings that are not hidden, each once")
    func sitemap() async throws {
        try await RunningService.with(hasModel: false) { service in
            let empty = try await service.send("GET", "/sitemap.xml")
            #expect(empty.status == 200 && Self.addresses(empty).isEmpty)
            let token = try await service.guest()
            var wanted: Set<String> = []
            for status in ["lost", "found", "sighted", "reunited", "closed", "lost"] {
                let id = try await service.post(#"{"status": "\#(status)", "lon": 14.79, "lat": 40.77}"#, token)
                if !["reunited", "closed"].contains(status) {
                    wanted.insert("https://dogs.example.org/listings/\(id)")
                }
            }
            let hidden = try #require(wanted.first)
            let id = try #require(UUID(uuidString: String(hidden.suffix(36))))
            try await service.board.hide(try #require(try await service.board.listings.findListing(id: id)))
            wanted.remove(hidden)
            let index = try await service.send("GET", "/sitemap.xml")
            #expect(index.headers["content-type"] == "application/xml; charset=utf-8")
            let tag = try #require(index.headers["etag"])
            #expect(try await service.send("GET", "/sitemap.xml", headers: ["If-None-Match": tag]).status == 304)
            var found: [String] = []
            for page in Self.addresses(index) {
                let answer = try await service.send("GET", Self.path(page))
                #expect(answer.status == 200 && answer.headers["etag"] != nil)
                #expect(Self.text(answer).contains("<lastmod>"))
                found += Self.addresses(answer)
            }
            #expect(found.count == Set(found).count && Set(found) == wanted)
            for address in found { #expect(try await service.send("GET", Self.path(address)).status == 200) }
            for path in [
                "/sitemap/closed/0", "/sitemap/lost/x", "/sitemap/lost/-1", "/sitemap/lost/9223372036854775807",
            ] {
                #expect(try await service.send("GET", path).status == 404, "\(path)")
            }
        }
    }

    @Test("favicon.ico is an icon file with the PNG of the assets")
    func favicon() async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("GET", "/favicon.ico")
            #expect(answer.status == 200 && answer.headers["content-type"] == "image/vnd.microsoft.icon")
            let bytes = [UInt8](answer.body)
            // One icon of 192 x 192 pixels, whose PNG begins after the directory and ends with the file.
            #expect(Array(bytes.prefix(8)) == [0, 0, 1, 0, 1, 0, 192, 192])
            let length = bytes[14..<18].reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(bytes[18..<22].elementsEqual([22, 0, 0, 0]) && length == bytes.count - 22)
            #expect(bytes[22..<30].elementsEqual([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        }
    }
}
