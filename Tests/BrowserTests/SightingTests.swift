import Domain
import Foundation
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Sightings")
    struct SightingTests {
        private static let seenAt = Coordinate(lon: 14.801357, lat: 40.781357)

        @Test(
            "On a phone, a passer-by reports a lost dog with one tap for the place, and its owner confirms it",
            arguments: ["it", "en"]
        )
        func phone(language: String) async throws {
            try await Scene.with { scene in
                let listing = scene.service.base + "/listings/\(scene.argo)"
                let visitor = Visitor(
                    screen: .phone,
                    language: language,
                    whereabouts: .told(try #require(Self.seenAt))
                )
                try await Browser.with(visitor) { browser in
                    try await browser.open(listing)
                    try await browser.click("a[href$='/sighting']")
                    try await browser.wait(forAddress: "/sighting")
                    #expect(try await !browser.find("[name=seen_at]").value().isEmpty)
                    try await browser.click("[data-locate]")
                    try await browser.wait(for: "the town") {
                        try await !browser.find("[name=place]").value().isEmpty
                    }
                    try await save("form", language, browser)
                    try await browser.type("Correva verso il ponte", into: "[name=text]")
                    try await browser.type("+39 333 9998877", into: "[name=contact_phone]")
                    try await browser.click("form.post button[type=submit]")
                    try await browser.wait(forAddress: "done=sighting.thanks")
                    #expect(try await browser.findAll(".sightings .proposed").count == 1)
                    try await save("thanks", language, browser)
                    #expect(try await browser.consoleErrors() == [])
                }
                try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                    try await browser.open(listing)
                    #expect(try await browser.findAll(".sightings").isEmpty)
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.wait(for: "the sighting in the inbox") {
                        try await browser.open(scene.service.base + "/inbox")
                        return try await !browser.findAll("a[href$='#sightings']").isEmpty
                    }
                    try await browser.click("a[href$='#sightings']")
                    try await browser.wait(forAddress: "#sightings")
                    #expect(try await browser.findAll("a[href='tel:+393339998877']").count == 1)
                    try await browser.find(".pin.unconfirmed")
                    try await browser.settle()
                    try await save("owner", language, browser)
                    try await browser.click(".sightings .good")
                    try await browser.find(".sightings .confirmed")
                }
                try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                    try await browser.open(listing)
                    #expect(try await browser.text(".sightings .confirmed").contains("Correva verso il ponte"))
                    #expect(try await browser.text(".timeline").contains("Correva verso il ponte"))
                    try await browser.script("document.querySelector('[data-map]').scrollIntoView()")
                    try await browser.find(".pin.sighted")
                    // The area around the sighting, and not its point.
                    try await browser.find("path.area")
                    let source = try await browser.script("return document.documentElement.outerHTML").text ?? ""
                    #expect(!source.contains("14.801357") && !source.contains("9998877"))
                    try await browser.settle()
                    try await save("public", language, browser)
                }
            }
        }

        @Test("The place is chosen on the map, which starts where the dog was lost")
        func map() async throws {
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)/sighting")
                    try await browser.click(".picker summary")
                    try await browser.find(".picker .leaflet-container")
                    try await browser.settle()
                    try await browser.click(".picker .leaflet-container")
                    try await browser.wait(for: "the point") { try await !browser.find("[name=lon]").value().isEmpty }
                    let lat = try #require(Double(try await browser.find("[name=lat]").value()))
                    #expect(abs(lat - 40.782) < 0.05)
                    try await browser.click("form.post button[type=submit]")
                    try await browser.wait(forAddress: "done=sighting.thanks")
                }
            }
        }

        @Test(
            "Without scripts, a sighting is reported by the name of a town, and dismissed and confirmed by forms alone"
        )
        func withoutScripts() async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                    try await browser.click("a[href$='/sighting']")
                    #expect(try await !browser.find("[name=seen_at]").value().isEmpty)
                    #expect(try await browser.find("[data-locate]").isShown() == false)
                    try await browser.type("Nowhere at all", into: "[name=place]")
                    try await browser.type("By the river", into: "[name=text]")
                    try await browser.click("form.post button[type=submit]")
                    try await browser.wait(for: "We don't know where that is.", in: "#error-place")
                    #expect(try await browser.find("[name=text]").value() == "By the river")
                    try await browser.type("Fisciano", into: "[name=place]")
                    try await browser.click("form.post button[type=submit]")
                    try await browser.wait(for: "Thank you!", in: ".notice")
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                    try await browser.click(".sightings button:not(.good)")
                    try await browser.wait(for: "Dismissed (1)", in: "#sightings ~ details")
                    try await browser.click("#sightings ~ details summary")
                    try await browser.click(".sightings .dismissed .good")
                    try await browser.wait(for: "By the river", in: ".sightings .confirmed")
                }
            }
        }

        /// Saves a screenshot for manual review.
        private func save(_ name: String, _ language: String, _ browser: Browser) async throws {
            guard let folder = PictureTests.folder else { return }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let picture = try await browser.pageScreenshot()
            try picture.png.write(to: folder.appending(path: "sighting-story-\(name)-\(language).png"))
        }
    }
}
