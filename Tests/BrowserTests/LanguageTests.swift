import Domain
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Pages in two languages")
    struct LanguageTests {
        private func language(of browser: Browser) async throws -> String? {
            try await browser.find("html").attribute("lang")
        }

        @Test("A chosen language is remembered and determines the format of dates and distances")
        func byChoice() async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(language: "en")) { browser in
                    let base = scene.service.base
                    try await browser.open(base + "/board?lon=14.79&lat=40.7&sort=distance")
                    #expect(try await browser.text(".card .where").hasSuffix("8 km"))
                    try await browser.click(".foot [lang=it]")
                    try await browser.wait(for: "Italian") { try await language(of: browser) == "it" }
                    #expect(try await browser.text(".card .where").hasSuffix("8 km"))
                    #expect(try await browser.text("h1") == "Smarriti e trovati vicino a te")
                    try await browser.open(base + "/listings/\(scene.argo)")
                    #expect(try await language(of: browser) == "it")
                    let months = #/gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic/#
                    #expect(try await browser.text(".timeline time").contains(months))
                    #expect(try await browser.text("dl").contains("Pastore tedesco"))
                    try await browser.click(".foot [lang=en]")
                    try await browser.wait(for: "English") { try await language(of: browser) == "en" }
                    #expect(try await browser.text("dl").contains("German Shepherd"))
                }
            }
        }
    }
}
