import Domain
import Foundation
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Sightings without a connection")
    struct OfflineSightingTests {
        /// Reads the listing of a lost dog, goes offline and opens the form from the page of the listing.
        private func withWalker(_ body: (Browser, Scene) async throws -> Void) async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(screen: .phone)) { browser in
                    try await browser.open(scene.service.base + "/board")
                    try await browser.waitForServiceWorker()
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                    try await browser.wait(for: "the form on the device") {
                        try await browser.script(
                            "return caches.match(arguments[0] + '/sighting').then(form => form !== undefined)",
                            .string(scene.service.base + "/listings/\(scene.argo)")
                        ) == true
                    }
                    try await browser.be(.offline)
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                    try await browser.click("a[href$='/sighting']")
                    try await browser.wait(forAddress: "/sighting")
                    try await body(browser, scene)
                }
            }
        }

        private func report(_ text: String, _ browser: Browser) async throws {
            try await browser.type("Fisciano (SA)", into: "[name=place]")
            try await browser.type(text, into: "[name=text]")
            try await browser.click("form.post button[type=submit]")
            try await browser.wait(for: "kept on this device", in: "[data-kept]")
        }

        private func arrived(_ scene: Scene) async throws -> [JSONValue] {
            let path = "/v1/listings/\(scene.argo)/sightings"
            guard case .array(let all)? = try await scene.service.send("GET", path, token: scene.anna)["sightings"]
            else {
                return []
            }
            return all
        }

        @Test("Sightings written in a field arrive later, each once, with the time at which the animal was seen")
        func later() async throws {
            try await withWalker { browser, scene in
                try await browser.find("[name=seen_at]").set("2026-05-01T10:00")
                try await report("By the river", browser)
                try await browser.wait(for: "1 sighting is waiting to be sent.", in: "#waiting")
                #expect(try await browser.find("[name=text]").value().isEmpty)
                try await save("kept", browser)
                try await report("On the bridge", browser)
                try await browser.wait(for: "2 sightings are waiting to be sent.", in: "#waiting")
                #expect(try await arrived(scene).isEmpty)
                let first = try await browser.tab()
                try await browser.openTab()
                try await browser.open(scene.service.base + "/board")
                try await browser.wait(for: "2 sightings are waiting", in: "#waiting")
                try await browser.go(to: first)
                try await browser.be(.fine)
                try await browser.wait(for: "the sightings") { try await arrived(scene).count == 2 }
                try await browser.wait(for: "an empty outbox") {
                    try await !browser.find("#waiting").text().contains("waiting")
                }
                try await browser.reload()
                let all = try await arrived(scene)
                #expect(all.count == 2)
                let river = try #require(all.first { $0["text"].text == "By the river" })
                let local = try await browser.script("return new Date('2026-05-01T10:00').toISOString()").text
                #expect(river["seen_at"].text == local)
                #expect(try await browser.findAll(".sightings .proposed").isEmpty)
                try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                #expect(try await browser.findAll(".sightings .proposed").count == 2)
            }
        }

        @Test("A sighting that is refused later is shown with the reason until it is removed")
        func refused() async throws {
            try await withWalker { browser, scene in
                try await report("By the river", browser)
                let status = #"{"status": "reunited"}"#
                try await scene.service.send("PATCH", "/v1/listings/\(scene.argo)", status, token: scene.anna)
                try await browser.be(.fine)
                try await browser.wait(for: "could not be delivered", in: "#refused")
                try await browser.wait(for: "By the river", in: "#refused")
                try await browser.open(scene.service.base + "/board")
                try await browser.wait(for: "could not be delivered", in: "#refused")
                #expect(try await browser.find("#waiting").isShown() == false)
                try await save("refused", browser)
                try await browser.click("#refused button")
                try await browser.wait(for: "no refusal") { try await !browser.find("#refused").isShown() }
                #expect(try await arrived(scene).isEmpty)
            }
        }

        @Test("With a connection, errors of the form appear beside its fields, and what was written stays")
        func errors() async throws {
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)/sighting")
                    try await browser.type("Nowhere at all", into: "[name=place]")
                    try await browser.type("By the river", into: "[name=text]")
                    try await browser.click("form.post button[type=submit]")
                    try await browser.find("#error-place")
                    #expect(try await browser.find("[name=text]").value() == "By the river")
                    try await browser.find("[name=place]").set("Fisciano")
                    try await browser.click("form.post button[type=submit]")
                    try await browser.wait(forAddress: "done=sighting.thanks")
                    #expect(try await arrived(scene).count == 1)
                }
            }
        }

        private func save(_ name: String, _ browser: Browser) async throws {
            guard let folder = PictureTests.folder else { return }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try await browser.pageScreenshot().png.write(to: folder.appending(path: "offline-sighting-\(name).png"))
        }
    }
}
