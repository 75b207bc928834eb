import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Board page")
    struct BoardPageTests {
        /// Opens a board with this many dogs; the last one is the newest.
        private func withDogs(
            _ count: Int,
            _ body: (Browser, RunningService, _ guest: String) async throws -> Void
        ) async throws {
            try await Scene.empty { service in
                let guest = try await service.guest()
                for number in 1...count { _ = try await service.post("Dog \(number)", number, guest) }
                try await Browser.with { browser in
                    try await browser.open(service.base + "/board")
                    try await body(browser, service, guest)
                }
            }
        }

        /// The vertical position of a dog's card in the window.
        private func top(of name: String, _ browser: Browser) async throws -> Double {
            try await browser.script(
                """
                return [...document.querySelectorAll(".card")].find(card => card.textContent.includes(arguments[0]))
                    .getBoundingClientRect().top
                """,
                .string(name)
            ).number ?? 0
        }

        private func scroll(_ browser: Browser) async throws -> Double {
            try await browser.script("return scrollY").number ?? 0
        }

        @Test("New listings wait above the list and do not move a visitor who has scrolled down")
        func live() async throws {
            try await withDogs(20) { browser, service, guest in
                try await browser.wait(for: "a long page") {
                    try await browser.script("scrollTo(0, 600)")
                    return try await scroll(browser) == 600
                }
                let before = try await top(of: "Dog 5", browser)
                let gone = try await service.post("Gone", 21, guest)
                try await browser.wait(for: "1 new listing", in: "[data-fresh]")
                _ = try await service.post("New", 22, guest)
                try await browser.wait(for: "2 new listings", in: "[data-fresh]")
                #expect(try await top(of: "Dog 5", browser) == before)
                #expect(try await browser.cards().first == "Dog 20")
                try await service.send("DELETE", "/v1/listings/\(gone)", token: guest)
                try await browser.wait(for: "1 new listing", in: "[data-fresh]")
                try await browser.click("[data-fresh]")
                try await browser.wait(for: "the top") { try await scroll(browser) == 0 }
                #expect(try await browser.cards().prefix(2) == ["New", "Dog 20"])
                #expect(try await browser.find("[data-fresh]").isShown() == false)
                #expect(try await browser.consoleErrors() == [])
            }
        }

        @Test("The board loads more listings on scrolling and restores the position after going back")
        func endless() async throws {
            try await withDogs(50) { browser, _, _ in
                try await browser.wait(for: "all of them") {
                    try await browser.script("scrollTo(0, document.body.scrollHeight)")
                    return try await browser.cards().count == 50
                }
                #expect(try await browser.cards() == (1...50).reversed().map { "Dog \($0)" })
                #expect(try await browser.findAll("[data-next]").isEmpty)
                let card = try #require(try await browser.findAll(".card a").dropFirst(44).first)
                try await browser.script("arguments[0].scrollIntoView({block: 'center'})", card.reference)
                let place = try await scroll(browser)
                try await card.click()
                try await browser.wait(forAddress: "/listings/")
                #expect(try await browser.text("h1") == "Dog 6")
                try await browser.back()
                try await browser.wait(for: "the place before") { try await abs(scroll(browser) - place) < 2 }
                #expect(try await browser.cards().count == 50)
                // Loading the page again stands for a browser that did not keep it.
                try await browser.reload()
                try await browser.wait(for: "the place before") { try await abs(scroll(browser) - place) < 2 }
                #expect(try await browser.cards().count == 50)
            }
        }

        @Test("Breeds and towns are suggested while the user types")
        func suggestions() async throws {
            try await withDogs(1) { browser, service, _ in
                try await browser.open(service.base + "/post")
                try await browser.type("germ", into: "[name=breed]")
                try await browser.wait(for: "breeds") {
                    try await browser.suggestions("breeds").contains("German Shepherd")
                }
                try await browser.type("fiscia", into: "[name=place]")
                try await browser.wait(for: "towns") {
                    try await browser.suggestions("places").contains("Fisciano (SA)")
                }
            }
        }

        @Test("A photo finds listings of its breed; a file that is not a photo gives an error message")
        func photoSearch() async throws {
            let folder = try TemporaryFolder()
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.open(scene.service.base + "/board")
                    try await browser.click(".filters a[href$='/photo-search']")
                    let text = folder.url.appending(path: "note.png")
                    try Data("no photo".utf8).write(to: text)
                    try await browser.find("[name=photo]").upload(text)
                    try await browser.wait(for: "This file is no photo", in: ".notice.problem")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.wait(forAddress: "classification=")
                    try await browser.wait(for: "By the photo: Beagle", in: ".notice")
                    #expect(try await browser.cards().first == "Luna")
                }
            }
        }
    }
}

extension Browser {
    /// The suggestions of a field's `<datalist>`.
    fileprivate func suggestions(_ list: String) async throws -> [String] {
        try await script(
            "return [...document.getElementById(arguments[0]).options].map(one => one.value)",
            .string(list)
        )
        .items.compactMap(\.text)
    }
}
