import Testing

extension InBrowser {
    @Suite("API reference in a browser")
    struct APIPageTests {
        @Test("Each example has a button that copies it")
        func copying() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(.desktop) { browser in
                    try await browser.open(service.base + "/api?lang=en")
                    try await browser.click("#start ~ pre .copy")
                    try await browser.wait(for: "Copied.", in: "#start ~ pre .copy")
                    try await browser.wait(for: "Copy", in: "#start ~ pre .copy")
                    let examples = try await browser.findAll(".api pre").count
                    #expect(try await browser.findAll(".api pre .copy").count == examples && examples > 100)
                }
            }
        }
    }
}
