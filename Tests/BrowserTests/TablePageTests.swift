import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Table")
    struct TablePageTests {
        @Test("What a scanner types goes to the field of microchips, wherever the focus is")
        func scanner() async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(screen: .desktop)) { browser in
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.open(scene.service.base + "/my/table?organisation=\(scene.organisation)")
                    try await browser.find("[data-scan]")
                    try await browser.press("380260000000099")
                    try await browser.press(.enter)
                    try await browser.find(".scan + .notice")
                    #expect(try await browser.text(".scan + .notice").contains("380260000000099"))
                    // The next number replaces the one before.
                    #expect(try await browser.find("[data-scan]").property("value") == "")
                }
            }
        }

        @Test("A new key is copied by its button")
        func copying() async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(screen: .desktop)) { browser in
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.open(scene.service.base + "/account/organisations/\(scene.organisation)")
                    try await browser.type("software", into: "input[name=name][maxlength='80']")
                    try await browser.click("[name=scope]")
                    try await browser.click("button[value=key]")
                    let token = try await browser.text("[data-copied]")
                    #expect(token.hasPrefix("dgf_"))
                    try await browser.click("[data-copy]")
                    try await browser.wait(for: "Copied", in: "[data-copy]")
                }
            }
        }
    }
}
