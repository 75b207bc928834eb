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
    }
}
