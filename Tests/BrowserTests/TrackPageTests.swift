import Domain
import Foundation
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Tracks on pages")
    struct TrackPageTests {
        /// A walk of 900 m to the east of a place.
        private static func gpx(lon: Double, lat: Double) -> String {
            let points = (0..<60).map {
                #"<trkpt lat="\#(lat + sin(Double($0) / 5) / 500)" lon="\#(lon + Double($0) / 5000)"/>"#
            }
            return "<gpx><trk><name>Squadra A</name><trkseg>\(points.joined())</trkseg></trk></gpx>"
        }

        @Test("The owner's map shows tracks and searched parts, others see cells", arguments: ["it", "en"])
        func map(language: String) async throws {
            try await Scene.with { scene in
                let listing = try await scene.service.post("Fido", 5, scene.anna, #""last_seen_at": "2026-11-01""#)
                let shown = try await scene.service.send("GET", "/v1/listings/\(listing)")
                guard case .number(let lon)? = shown["geometry", "coordinates", "0"],
                    case .number(let lat)? = shown["geometry", "coordinates", "1"]
                else { return }
                let sent = try await scene.service.send(
                    "PUT",
                    "/v1/listings/\(listing)/tracks/1?kind=search_party&visibility=everyone",
                    bytes: Data(Self.gpx(lon: lon, lat: lat).utf8),
                    scene.anna,
                    ["Content-Type": "application/gpx+xml"]
                )
                #expect(sent.status == 201)
                for isOwner in [true, false] {
                    try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                        if isOwner { try await browser.hold(scene.anna, at: scene.service) }
                        try await browser.open(scene.service.base + "/listings/\(listing)")
                        #expect(try await browser.text(".tracks").contains("Squadra A"))
                        try await browser.script("document.querySelector('.smallmap').scrollIntoView()")
                        try await browser.find("[data-drawn]")
                        #expect(try await browser.findAll(".smallmap path.track").count == 1)
                        #expect(try await browser.findAll(".smallmap path.walked").count == 1)
                        let note = try await browser.script(
                            "return document.querySelector('[data-searched-note]').textContent"
                        )
                        #expect("\(note)".contains("%") == isOwner)
                        #expect(try await browser.findAll("form[action$='/tracks/1']").count == (isOwner ? 2 : 0))
                        try await browser.script(
                            "for (const part of document.querySelectorAll('details')) part.open = true"
                        )
                        try await browser.settle()
                        try Self.save(try await browser.pageScreenshot().png, "tracks-\(language)-\(isOwner)")
                        if Axe.isAvailable {
                            #expect(try await browser.accessibilityViolations().map(\.description) == [])
                        }
                    }
                }
            }
        }

        private static func save(_ png: Data, _ name: String) throws {
            guard let folder = PictureTests.folder else { return }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try png.write(to: folder.appending(path: "\(name).png"))
        }
    }
}
