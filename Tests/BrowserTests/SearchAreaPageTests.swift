import Domain
import Foundation
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Search area and microchips on pages")
    struct SearchAreaPageTests {
        @Test("The map of a lost dog shows three circles with a legend", arguments: ["it", "en"])
        func circles(language: String) async throws {
            try await Scene.with { scene in
                let listing = try await scene.service.post("Fido", 5, scene.anna, #""last_seen_at": "2026-11-01""#)
                try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                    try await browser.open(scene.service.base + "/listings/\(listing)")
                    #expect(try await browser.findAll(".circles li").count == 3)
                    #expect(
                        try await browser.text(".circles").contains(language == "it" ? "cani smarriti" : "lost dogs")
                    )
                    #expect(try await browser.text(".help-inside").contains("Dr. Rossi 1"))
                    try await browser.script("document.querySelector('.smallmap').scrollIntoView()")
                    try await browser.wait(for: "three circles on the map") {
                        try await browser.findAll(".smallmap path.searched").count == 3
                    }
                    try await browser.settle()
                    try Self.save(try await browser.pageScreenshot().png, "search-area-\(language)")
                    if Axe.isAvailable {
                        #expect(try await browser.accessibilityViolations().map(\.description) == [])
                    }
                }
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(scene.service.base + "/listings/\(listing)")
                    #expect(try await browser.text(".circles").contains("m"))
                    try await browser.open(scene.service.base + "/listings/\(scene.reunited)")
                    #expect(try await browser.findAll(".circles").isEmpty)
                }
            }
        }

        @Test("A finder searches for a microchip on a phone and writes to its owner", arguments: [true, false])
        func microchip(runsScripts: Bool) async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(screen: .phone, language: "it", runsScripts: runsScripts)) { browser in
                    try await browser.open(scene.service.base + "/microchip")
                    try await browser.look(for: "380260000000002")
                    #expect(try await browser.text("main section").contains("Anagrafe nazionale"))
                    try Self.save(try await browser.pageScreenshot().png, "microchip-unknown-\(runsScripts)")
                    try await browser.find("[name=number]").clear()
                    try await browser.look(for: "380 260 000 000 001")
                    try Self.save(try await browser.pageScreenshot().png, "microchip-known-\(runsScripts)")
                    #expect(try await browser.findAll("main a[href*='/listings/']").isEmpty)
                    try await browser.type("Il cane è con me", into: "[name=text]")
                    try await browser.type("+39 333 7654321", into: "[name=contact_phone]")
                    try await browser.click("form[action$='/microchip/message'] button")
                    try await browser.wait(forAddress: "done=chip.sent")
                    #expect(try await browser.url().contains("380260") == false)
                    let inbox = try await scene.service.send("GET", "/v1/me/conversations", token: scene.anna)
                    #expect(inbox.text("conversations", "0", "last_message", "text") == "Il cane è con me")
                    let phone = inbox.text("conversations", "0", "last_message", "contact_phone")
                    #expect(phone == "+39 333 7654321")
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
