import Domain
import ServerSupport
import Testing

extension InBrowser {
    @Suite("Page of a listing")
    struct ListingPageTests {
        @Test(
            "Photos open in a dialog with a counter, and the focus returns to the link",
            arguments: [Visitor.phone, .desktop]
        )
        func photos(visitor: Visitor) async throws {
            try await Scene.with { scene in
                try await Browser.with(visitor) { browser in
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                    try await browser.find(".photos a").focus()
                    try await browser.press(.enter)
                    #expect(try await browser.text(".viewer .counter") == "1 / 2")
                    try await browser.press(.right)
                    try await browser.wait(for: "the second photo") {
                        try await browser.text(".viewer .counter") == "2 / 2"
                    }
                    try await browser.press(.left)
                    try await browser.wait(for: "the first photo") {
                        try await browser.text(".viewer .counter") == "1 / 2"
                    }
                    try await browser.click(".viewer .next")
                    try await browser.wait(for: "the second photo") {
                        try await browser.text(".viewer .counter") == "2 / 2"
                    }
                    #expect(try await browser.find(".viewer .next").isShown() == false)
                    if Axe.isAvailable {
                        #expect(try await browser.accessibilityViolations().map(\.description) == [])
                    }
                    try await browser.press(.escape)
                    // The browser tells a dialog that it was closed by an event that follows.
                    try await browser.wait(for: "the page without the dialog") {
                        try await browser.findAll(".viewer").isEmpty
                    }
                    #expect(
                        try await browser.script(
                            "return document.activeElement === document.querySelector('.photos a')"
                        ) == true
                    )
                    try await browser.click(".photos a")
                    try await browser.click(".viewer .close")
                    try await browser.wait(for: "the page without the dialog") {
                        try await browser.findAll(".viewer").isEmpty
                    }
                    #expect(try await browser.url().contains("/listings/"))
                    // The phone's key "Back" closes the dialog and not the page.
                    try await browser.click(".photos a")
                    try await browser.find(".viewer")
                    try await browser.back()
                    try await browser.wait(for: "the page without the dialog") {
                        try await browser.findAll(".viewer").isEmpty
                    }
                    #expect(try await browser.url().contains("/listings/\(scene.argo)"))
                }
            }
        }

        @Test("The way back leads to the search that the reader comes from")
        func crumb() async throws {
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.open(scene.service.base + "/board?q=Argo&status=lost")
                    try await browser.click(".card a")
                    try await browser.wait(forAddress: "/listings/\(scene.argo)")
                    try await browser.wait(for: "the script") {
                        try await browser.find(".crumb a").attribute("href")?.hasSuffix("/board?q=Argo&status=lost")
                            == true
                    }
                }
            }
        }

        @Test("Without scripts, a photo is a link to its file")
        func photoLink() async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(runsScripts: false)) { browser in
                    try await browser.open(scene.service.base + "/listings/\(scene.argo)")
                    try await browser.click(".photos a")
                    try await browser.wait(forAddress: "-1600.jpg")
                }
            }
        }

        @Test("The owner of a listing sees what to do now, with telephone numbers nearby", arguments: ["it", "en"])
        func steps(language: String) async throws {
            try await Scene.with { scene in
                try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                    let page = scene.service.base + "/listings/\(scene.argo)"
                    try await browser.open(page + "?help")
                    #expect(try await browser.findAll(".steps").isEmpty, "for others")
                    try await browser.hold(scene.anna, at: scene.service)
                    try await browser.open(page)
                    #expect(try await browser.findAll(".steps").isEmpty)
                    try await browser.click(".owner a[href$='?help']")
                    try await browser.wait(forAddress: "?help")
                    #expect(try await browser.findAll(".steps > ol > li").count == 7)
                    #expect(try await browser.findAll(".steps a[href='tel:+39089654321']").count == 2)
                    #expect(
                        try await browser.text(".steps").contains(
                            language == "it" ? "polizia locale" : "Polizia Locale"))
                    let code = try await scene.service.board.code(of: scene.argo)
                    for service in ["https://wa.me/?text=", "https://t.me/share/url?url=", "https://www.facebook.com/"]
                    {
                        let link = try await browser.find("a[href^='\(service)']")
                        #expect(try await link.attribute("rel") == "noopener noreferrer")
                        #expect(try await link.attribute("href")?.contains("%2Fl%2F\(code)") == true)
                    }
                    try await browser.hold(scene.guest, at: scene.service)
                    try await browser.open(scene.service.base + "/listings/\(scene.luna)?posted")
                    let first = try await browser.text(".steps > ol > li")
                    #expect(first.contains("microchip") && first.contains("089 654321") && !first.contains("+39"))
                }
            }
        }
    }
}
