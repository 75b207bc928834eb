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

        @Test("A new listing appears where the order of the board puts it")
        func liveOrder() async throws {
            try await withDogs(3) { browser, service, guest in
                try await browser.open(service.base + "/board?sort=created_at")
                _ = try await service.post("New", 22, guest)
                try await browser.wait(forCards: ["Dog 1", "Dog 2", "Dog 3", "New"])
                #expect(try await browser.consoleErrors() == [])
            }
        }

        @Test("A long board stops loading by itself, so that its footer can be reached")
        func footer() async throws {
            try await withDogs(101) { browser, _, _ in
                try await browser.wait(for: "the automatic pages") {
                    try await browser.script("scrollTo(0, document.body.scrollHeight)")
                    return try await browser.cards().count == 80
                }
                try await browser.settle()
                try await browser.script("scrollTo(0, document.body.scrollHeight)")
                let isShown =
                    "return document.querySelector('footer').getBoundingClientRect().bottom <= innerHeight + 1"
                #expect(try await browser.script(isShown) == true)
                #expect(try await browser.cards().count == 80)
                try await browser.click("[data-next]")
                try await browser.wait(for: "all of them") {
                    try await browser.script("scrollTo(0, document.body.scrollHeight)")
                    return try await browser.cards().count == 101
                }
            }
        }

        @Test("The board searches while the user types, and says how many listings it found")
        func typing() async throws {
            try await withDogs(12) { browser, service, guest in
                try await browser.type("dog 12", into: "[name=q]")
                try await browser.wait(forCards: ["Dog 12"])
                #expect(try await browser.text("#count") == "1 listing")
                #expect(try await browser.url().hasSuffix("/board?q=dog+12"))
                // Live updates follow the present search.
                _ = try await service.post("Dog 12 again", 13, guest)
                try await browser.wait(forCards: ["Dog 12 again", "Dog 12"])
                try await browser.click("[data-clear] a")
                try await browser.wait(for: "all of them") { try await browser.cards().count == 13 }
                #expect(try await browser.findAll("#count:empty").count == 1)
                #expect(try await browser.consoleErrors() == [])
            }
        }

        @Test("The position is remembered on the device until the user presses the button again")
        func remembered() async throws {
            let spot = try #require(Coordinate(lon: 14.79, lat: 40.77))
            try await Scene.empty(hasModel: false) { service in
                let guest = try await service.guest()
                _ = try await service.post("Near", 5, guest)
                _ = try await service.post(#"{"name": "Far", "status": "lost", "place": "Salerno"}"#, guest)
                _ = try await service.post(#"{"name": "Farther", "status": "lost", "place": "Milano"}"#, guest)
                try await Browser.with(Visitor(screen: .phone, whereabouts: .told(spot))) { browser in
                    try await browser.open(service.base + "/board")
                    try await browser.click("[data-near]")
                    try await browser.wait(forCards: ["Near", "Far"])
                    #expect(try await browser.find("[data-near]").attribute("aria-pressed") == "true")
                    try await browser.open(service.base + "/board")
                    try await browser.wait(forCards: ["Near", "Far"])
                    // Another search shows distances, too.
                    try await browser.open(service.base + "/board?place=Milano")
                    try await browser.wait(for: "the distance") {
                        try await browser.text(".card .where").hasSuffix("km")
                    }
                    try await browser.open(service.base + "/board")
                    try await browser.wait(forCards: ["Near", "Far"])
                    try await browser.click("[data-near]")
                    try await browser.wait(forCards: ["Farther", "Far", "Near"])
                    try await browser.open(service.base + "/board")
                    #expect(try await browser.cards() == ["Farther", "Far", "Near"])
                    #expect(try await browser.findAll(".distance").isEmpty)
                }
            }
        }

        @Test("A place that is unknown or unclear is answered with a question", arguments: [true, false])
        func unknownPlace(runsScripts: Bool) async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(runsScripts: runsScripts)) { browser in
                    try await browser.open(service.base + "/board?place=Zzzqx")
                    #expect(try await browser.text(".notice.problem").contains("We don't know the place “Zzzqx”."))
                    #expect(try await browser.findAll(".empty").isEmpty)
                    try await browser.open(service.base + "/board?place=Castro&radius=5000")
                    try await browser.click(".notice.problem a[href*='(LE)'], .notice.problem a[href*='%28LE%29']")
                    try await browser.wait(for: "the town") {
                        try await browser.text("h1") == "Lost and found within 5 km of Castro (LE)"
                    }
                }
            }
        }

        @Test("Breeds and towns are suggested while the user types")
        func suggestions() async throws {
            try await withDogs(1) { browser, service, _ in
                try await browser.open(service.base + "/post")
                try await browser.unfold()
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
                    try await browser.click("button[type=submit]")
                    try await browser.wait(for: "We can't read this photo", in: ".notice.problem")
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    try await browser.wait(for: "Beagle", in: "[data-recognised]")
                    try await browser.click("[name=status][value='found,sighted']")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(forAddress: "classification=")
                    try await browser.wait(for: "From the photo: Beagle", in: ".notice")
                    #expect(try await browser.cards().first == "Luna")
                }
            }
        }

        @Test("A photo that another app shares is in the form of the search by photo, once")
        func sharedPhoto() async throws {
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.open(scene.service.base + "/board")
                    try await browser.waitForServiceWorker()
                    // Browsers send what is shared like this form.
                    try await browser.script(
                        """
                        const form = document.createElement("form")
                        Object.assign(form, { method: "post", enctype: "multipart/form-data", action: "/photo-search?shared" })
                        const input = Object.assign(document.createElement("input"), { type: "file", name: "photo" })
                        const files = new DataTransfer()
                        files.items.add(new File([Uint8Array.from(arguments[0])], "x.png", { type: "image/png" }))
                        input.files = files.files
                        form.append(input)
                        document.body.append(form)
                        form.submit()
                        """,
                        .array(Array(try Data.photo(.red, 80, 60)).map { .number(Double($0)) })
                    )
                    try await browser.wait(forAddress: "/photo-search?shared")
                    try await browser.wait(for: "Beagle", in: "[data-recognised]")
                    let kept = try await browser.script("return caches.match('/shared-photo').then((photo) => !!photo)")
                    #expect(kept == false)
                }
            }
        }

        @Test("A search by photo looks for lost dogs near the user, and its breed can be corrected")
        func photoSearchNearby() async throws {
            let folder = try TemporaryFolder()
            let spot = try #require(Coordinate(lon: 14.79, lat: 40.77))
            try await Scene.empty { service in
                let guest = try await service.guest()
                for (name, place, more) in [
                    ("Argo", 5, #""breed": "Beagle""#), ("Luna", 6, #""breed": "Maltese""#),
                    ("Found", 7, #""breed": "Beagle", "status": "found""#),
                ] {
                    _ = try await service.post(name, place, guest, more)
                }
                let far = #"{"name": "Far", "status": "lost", "breed": "Beagle", "place": "Milano"}"#
                _ = try await service.post(far, guest)
                try await Browser.with(Visitor(screen: .phone, whereabouts: .told(spot))) { browser in
                    try await browser.open(service.base + "/photo-search")
                    try await browser.click("[data-near]")
                    try await browser.wait(for: "the position") {
                        try await !browser.find("[name=lon]").value().isEmpty
                    }
                    try await browser.find("[name=photo]").upload(try folder.photo(.red))
                    // The breed and its confidence are shown before the search, and can be edited.
                    try await browser.wait(for: "Beagle (9", in: "[data-recognised]")
                    #expect(try await browser.find("[name=breed]").value() == "Beagle")
                    #expect(try await browser.find("[name=breed]").isShown())
                    try await browser.click("main button[type=submit]")
                    try await browser.wait(forAddress: "classification=")
                    #expect(try await browser.cards().first == "Argo")
                    #expect(try await Set(browser.cards()).isDisjoint(with: ["Found", "Far"]))
                    #expect(try await browser.text(".card .where").hasSuffix("km"))
                    #expect(try await browser.text(".notice").contains("Beagle (9"))
                    #expect(try await browser.find("[name=breed]").value() == "Beagle")
                    try await browser.click(".filters summary")
                    try await browser.wait(for: "the filters") { try await browser.find("[name=breed]").isShown() }
                    try await browser.find("[name=breed]").clear()
                    try await browser.type("Maltese", into: "[name=breed]")
                    try await browser.wait(forCards: ["Luna"])
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
