import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Main scenario in browsers")
    struct StoryTests {
        @Test(
            "A guest posts a dog, and others see it appear, find it, see it edited and see it reunited"
        )
        func story() async throws {
            let spot = try #require(Coordinate(lon: 14.79, lat: 40.77))
            let near = try #require(Coordinate(lon: 14.80, lat: 40.79))
            try await Scene.empty { service in
                try await Browser.with(Visitor(screen: .phone, whereabouts: .told(spot))) { anna in
                    try await Browser.with(Visitor(whereabouts: .told(near))) { bruno in
                        try await bruno.open(service.base + "/board")
                        #expect(try await bruno.cards().isEmpty)
                        try await post(with: anna, to: service)
                        try await bruno.wait(forCards: ["Argo"])
                        try await bruno.wait(for: "the photo") {
                            try await bruno.find(".card img").property("naturalWidth").number ?? 0 > 0
                        }
                        try await findNearby(with: bruno)
                        try await findOnTheMap(with: bruno, at: service)
                        try await bruno.open(service.base + "/board")
                        try await rename(with: anna)
                        try await bruno.wait(forCards: ["Argo the Great"])
                        try await anna.open(service.base + "/my")
                        try await anna.click(".actions .good")
                        try await anna.wait(for: "Argo the Great", in: ".home h1")
                        try await bruno.wait(forCards: [])
                        #expect(try await anna.consoleErrors() == [])
                        #expect(try await bruno.consoleErrors() == [])
                    }
                }
            }
        }

        @Test("Towns that an unclear name may mean are offered, and the chosen one is posted")
        func unclearTown() async throws {
            try await Scene.empty { service in
                try await Browser.with(Visitor(screen: .phone)) { browser in
                    try await browser.open(service.base + "/post")
                    try await browser.click(".choice.lost input")
                    try await browser.type("Castro", into: "[name=place]")
                    try await browser.click("button[type=submit]")
                    let choice = #"[data-towns] input[value="Castro (LE)"]"#
                    try await browser.wait(for: "the towns") { try await !browser.findAll(choice).isEmpty }
                    try await browser.click(choice)
                    #expect(try await browser.find("[name=place]").value() == "Castro (LE)")
                    try await browser.click("button[type=submit]")
                    try await browser.wait(forAddress: "/listings/")
                    #expect(try await browser.text("main").contains("Castro (LE)"))
                    // A refused form is an error in the log of the browser.
                    let errors = try await browser.consoleErrors()
                    #expect(errors.allSatisfy { $0.contains("400") })
                }
            }
        }

        private func post(with browser: Browser, to service: RunningService) async throws {
            let folder = try TemporaryFolder()
            try await browser.open(service.base + "/post")
            try await browser.find("[data-photos]").upload(try folder.photo(.red))
            try await browser.wait(for: "It looks like: Beagle", in: "[data-recognised]")
            #expect(try await browser.findAll("[data-previews] img").count == 1)
            try await browser.unfold()
            #expect(try await browser.find("[name=breed]").value() == "Beagle")
            try await browser.click(".choice.lost input")
            try await browser.click("[data-locate]")
            try await browser.wait(for: "the town") {
                try await browser.find("[name=place]").value() == "Fisciano (SA)"
            }
            try await browser.type("Argo", into: "[name=name]")
            try await browser.type("+39 089 123456", into: "[name=contact_phone]")
            #expect(try await browser.find("[name=contact_phone_public]").isSelected())
            #expect(try await browser.text("[data-shown]").hasPrefix("Your number will be visible"))
            try await browser.click("button[type=submit]")
            try await browser.wait(forAddress: "/listings/")
            try await browser.wait(for: "Your listing is live.", in: ".notice.done")
            #expect(try await browser.text("h1") == "Argo")
            #expect(try await browser.find(".contact a").attribute("href") == "tel:+39089123456")
        }

        /// Searches by the position that the browser reports.
        private func findNearby(with browser: Browser) async throws {
            try await browser.click(".filters summary")
            try await browser.wait(for: "the filters") { try await browser.find("[name=radius]").isShown() }
            try await browser.find("[name=radius]").select("5000")
            try await browser.click("[data-near]")
            try await browser.wait(forAddress: "radius=5000")
            try await browser.wait(for: "the distance") {
                try await browser.text(".card .where").hasSuffix("2.2 km")
            }
            #expect(try await browser.cards() == ["Argo"])
            try await browser.find("[name=radius]").select("1000")
            try await browser.wait(forAddress: "radius=1000")
            try await browser.wait(forCards: [])
            // The position would be remembered for the next visit.
            try await browser.click("[data-near]")
            try await browser.wait(forCards: ["Argo"])
        }

        private func findOnTheMap(with browser: Browser, at service: RunningService) async throws {
            try await browser.open(service.base + "/map?q=Fisciano")
            try await browser.click(".pin.lost")
            #expect(try await browser.text(".leaflet-popup .card h2") == "Argo")
            try await browser.click(".leaflet-popup .card a")
            try await browser.wait(forAddress: "/listings/")
            #expect(try await browser.text("h1") == "Argo")
        }

        private func rename(with browser: Browser) async throws {
            try await browser.click(".owner a[href$='/edit']")
            try await browser.type("Argo the Great", into: "[name=name]")
            try await browser.click("button[type=submit]")
            try await browser.wait(for: "Saved.", in: ".notice")
            #expect(try await browser.text("h1") == "Argo the Great")
        }
    }
}
