import Domain
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Every page")
    struct EveryPageTests {
        @Test(
            "Pages use the browser's language, pass axe-core in light and dark, and fit narrow screens",
            arguments: [Visitor(screen: .phone, language: "it"), Visitor(screen: .desktop, language: "en")]
        )
        func everyPage(visitor: Visitor) async throws {
            try await Scene.with { scene in
                try await Browser.with(visitor) { browser in
                    if Axe.isAvailable { try await browser.keepAxe() }
                    try await scene.visit(scene.pages, with: browser) { page in
                        let spoken = try await browser.find("html").attribute("lang")
                        #expect(spoken == visitor.language, "\(page.name)")
                        let gaps = try await gaps(browser)
                        #expect(gaps == [], "\(page.name)")
                        for scheme in Visitor.ColourScheme.allCases where Axe.isAvailable {
                            try await browser.prefer(scheme, lessMotion: true)
                            let found = try await browser.accessibilityViolations(ofColours: scheme == .dark)
                            #expect(found.map(\.description) == [], "\(page.name), \(scheme)")
                        }
                        try await checkWidths(page, browser)
                        try await browser.resize(to: visitor.screen)
                        // The browser logs each response with a 4xx status as an error; some of these pages have such a
                        // status.
                        let errors = try await browser.consoleErrors().filter { !$0.contains("status of 4") }
                        #expect(errors == [], "\(page.name)")
                    }
                }
            }
        }

        private func checkWidths(_ page: PageCase, _ browser: Browser) async throws {
            try await browser.resize(to: .narrow)
            let narrow = try await overflow(browser)
            #expect(narrow == [], "\(page.name), narrow")
            try await browser.script("document.documentElement.style.fontSize = '200%'")
            let large = try await overflow(browser)
            #expect(large == [], "\(page.name), large text")
        }

        /// Text keys that appear instead of their texts, and template tags that were not filled in. `<code>` elements
        /// are skipped, because their contents may look the same.
        private func gaps(_ browser: Browser) async throws -> [String] {
            try await browser.script(
                """
                const groups = "language nav footer offline status species sex size field board listing my guest delete post"
                    + " photo account factor map poi flyer embed missing forbidden failure problem time script api inbox warning report reason moderation audit ban steps sighting social timeline"
                const key = new RegExp(`\\\\b(${groups.replaceAll(" ", "|")})\\\\.[a-z_]+\\\\b|\\\\{\\\\w+\\\\}`, "g")
                const said = [...document.querySelectorAll("[aria-label], [placeholder], [alt], [title]")].flatMap(part =>
                    ["aria-label", "placeholder", "alt", "title"].map(name => part.getAttribute(name) ?? ""))
                const body = document.body.cloneNode(true)
                for (const part of body.querySelectorAll("code, script, details [lang]")) part.remove()
                // The texts of neighbours would make one word.
                for (const part of body.querySelectorAll("*")) part.append("\\n")
                return [document.title, body.textContent, ...said].flatMap(text => text.match(key) ?? [])
                """
            ).items.compactMap(\.text)
        }

        /// Elements that extend beyond the right edge of the page, if the page scrolls horizontally.
        private func overflow(_ browser: Browser) async throws -> [String] {
            try await browser.script(
                """
                const {scrollWidth, clientWidth} = document.documentElement
                if (scrollWidth <= clientWidth) return []
                return [`${scrollWidth} > ${clientWidth}`, ...[...document.querySelectorAll("body *")]
                    .filter(part => !part.closest("nav, .layers") && part.getBoundingClientRect().right > clientWidth + 1)
                    .slice(0, 5).map(part => `${part.tagName}.${part.className} ${part.textContent.slice(0, 30)}`)]
                """
            ).items.compactMap(\.text)
        }
    }
}
