import Domain
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Keyboard operation")
    struct KeyboardTests {
        /// Describes the focused element and whether it, or the next element, which may be its visible substitute, has
        /// a visible focus outline. Chrome itself highlights the focused part of a date field.
        private static let focus = """
            const part = document.activeElement
            const shown = part.type == "datetime-local" || [part, part.nextElementSibling].filter(Boolean).some(one => {
                const {outlineStyle, outlineWidth} = getComputedStyle(one)
                return outlineStyle != "none" && parseFloat(outlineWidth) >= 2
            })
            const box = part.getBoundingClientRect()
            const onTop = document.elementFromPoint(box.x + box.width / 2, box.y + Math.min(box.height, 20) / 2)
            const isCovered = onTop != null && onTop.closest("nav, header") != part.closest("nav, header")
            return {name: part.outerHTML.slice(0, 80), isBody: part == document.body,
                isShown: shown && box.width > 0 && box.height > 0 && !isCovered}
            """

        /// Presses the tab key until an element that matches the selector has the focus.
        private func tab(to css: String, _ browser: Browser) async throws {
            for _ in 0..<80 {
                try await browser.press(.tab)
                let focus = try await browser.script(Self.focus)
                if focus["isBody"] != true {
                    #expect(focus["isShown"] == true, "\(focus["name"].text ?? "")")
                }
                if try await browser.script("return document.activeElement.matches(arguments[0])", .string(css)) == true
                {
                    return
                }
            }
            Issue.record("the tab key does not lead to \(css)")
        }

        @Test(
            "A listing is posted by keyboard alone, with a visible focus at every step",
            arguments: [Visitor.phone, .desktop]
        )
        func posting(visitor: Visitor) async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(visitor) { browser in
                    try await browser.open(service.base + "/board")
                    try await tab(to: ".skip", browser)
                    try await browser.press(.enter)
                    #expect(try await browser.script("return document.activeElement.id") == "main")
                    try await browser.press(.tab)
                    #expect(try await browser.script("return document.activeElement.matches('.doors a')") == true)
                    try await browser.reload()
                    try await tab(to: "nav .post", browser)
                    try await browser.press(.enter)
                    try await browser.wait(forAddress: "/post")
                    try await tab(to: "[name=status]", browser)
                    try await browser.press(.space)
                    try await browser.press(.right)
                    #expect(try await browser.find("[name=status][value=found]").isSelected())
                    try await tab(to: "[name=place]", browser)
                    try await browser.press("Fisciano (SA)")
                    try await tab(to: "[name=contact_phone]", browser)
                    try await browser.press("+39 089 123456")
                    try await tab(to: "[name=contact_phone_public]", browser)
                    try await browser.press(.space)
                    try await tab(to: ".more-fields summary", browser)
                    try await browser.press(.enter)
                    try await tab(to: "[name=name]", browser)
                    try await browser.press("Luna")
                    try await tab(to: "[name=sex]", browser)
                    try await browser.press("f")
                    try await tab(to: "button[type=submit]", browser)
                    try await browser.press(.enter)
                    try await browser.wait(for: "Your listing is live.", in: ".notice.done")
                    #expect(try await browser.text("h1") == "Luna")
                    #expect(try await browser.text("dl").contains("Female"))
                    #expect(try await browser.text(".contact") == "Call 089 123456")
                }
            }
        }

        @Test("The board, the map and a card on the map are reached by keyboard")
        func map() async throws {
            try await Scene.with { scene in
                try await Browser.with { browser in
                    try await browser.open(scene.service.base + "/map?lon=14.79&lat=40.785&zoom=15")
                    try await browser.find(".pin.found")
                    try await tab(to: ".leaflet-marker-icon[aria-label*=Luna]", browser)
                    try await browser.press(.enter)
                    try await browser.wait(for: "Luna", in: ".leaflet-popup .card h2")
                    try await tab(to: ".leaflet-popup .card a", browser)
                    try await browser.press(.enter)
                    try await browser.wait(forAddress: "/listings/\(scene.luna)")
                }
            }
        }

        @Test("Dogs in one area, which the map shows as one shape, are reached by keyboard")
        func area() async throws {
            try await Scene.with { scene in
                try await Browser.with { browser in
                    try await browser.open(scene.service.base + "/map?lon=14.79&lat=40.785&zoom=15")
                    try await browser.find(".pin.group")
                    try await tab(to: ".leaflet-marker-icon[aria-label^='3 ']", browser)
                    try await browser.press(.enter)
                    try await tab(to: ".leaflet-marker-icon[aria-label*=Argo]", browser)
                    try await browser.press(.enter)
                    try await browser.wait(for: "Argo", in: ".leaflet-popup .card h2")
                }
            }
        }
    }
}
