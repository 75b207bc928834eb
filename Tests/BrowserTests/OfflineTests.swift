import Domain
import Foundation
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Offline pages")
    struct OfflineTests {
        /// Opens the board online in a browser, so that the service worker has stored it.
        private func withReader(
            _ names: [String] = [],
            _ body: (Browser, RunningService) async throws -> Void
        ) async throws {
            try await Scene.empty(hasModel: false) { service in
                if !names.isEmpty {
                    let guest = try await service.guest()
                    for (place, name) in names.enumerated() {
                        let id = try await service.post(name, place, guest)
                        try await service.put(.photo(.red), 1, of: id, guest)
                    }
                }
                try await Browser.with { browser in
                    try await browser.open(service.base + "/board")
                    try await browser.waitForServiceWorker()
                    try await browser.open(service.base + "/board")
                    try await body(browser, service)
                }
            }
        }

        private func write(
            _ name: String,
            in browser: Browser,
            at service: RunningService,
            _ photo: URL? = nil
        )
            async throws
        {
            try await browser.open(service.base + "/post")
            if let photo {
                try await browser.find("[data-photos]").upload(photo)
                try await browser.find("[data-previews] img")
            }
            try await browser.click(".choice.lost input")
            try await browser.type("Fisciano (SA)", into: "[name=place]")
            try await browser.unfold()
            try await browser.type(name, into: "[name=name]")
            try await browser.click("button[type=submit]")
        }

        /// The names of the listings that the service has received, in order of arrival.
        private func arrived(at service: RunningService) async throws -> [String] {
            try await service.send("GET", "/v1/listings?sort=created_at").features.compactMap {
                $0["properties"]["name"].text
            }
        }

        @Test("The last loaded board is shown offline, and pages say that the browser is offline")
        func reading() async throws {
            try await withReader(["Argo", "Luna"]) { browser, service in
                #expect(try await browser.find("#offline").isShown() == false)
                try await browser.be(.offline)
                try await browser.open(service.base + "/board")
                #expect(try await browser.cards() == ["Luna", "Argo"])
                #expect(try await browser.find("#offline").isShown())
                try await browser.wait(for: "the photo") {
                    try await browser.find(".card img").property("naturalWidth").number ?? 0 > 0
                }
                try await browser.open(service.base + "/account")
                #expect(try await browser.text("h1") == "You are offline")
                try await browser.be(.fine)
                try await browser.wait(for: "the connection") {
                    try await browser.find("#offline").isShown() == false
                }
            }
        }

        @Test("A search without a connection filters the listings on the device, and says so")
        func search() async throws {
            try await Scene.empty { service in
                let guest = try await service.guest()
                for (name, breed) in [("Argo", "Beagle"), ("Luna", "Maltese")] {
                    _ = try await service.post(name, 1, guest, #""breed": "\#(breed)""#)
                }
                try await Browser.with { browser in
                    try await browser.open(service.base + "/board")
                    try await browser.waitForServiceWorker()
                    try await browser.open(service.base + "/board")
                    try await browser.be(.offline)
                    try await browser.open(service.base + "/board?breed=beagle")
                    #expect(try await browser.visibleCards() == ["Argo"])
                    #expect(try await browser.text("#count") == "Offline: 1 of the listings saved on this device")
                    try await browser.click(".filters summary")
                    try await browser.wait(for: "the form") { try await browser.find("[name=breed]").isShown() }
                    #expect(try await browser.find("[name=breed]").value() == "beagle")
                    try await browser.find("[name=breed]").set("")
                    try await browser.find("[name=q]").set("luna")
                    try await browser.find(".filters").submit()
                    try await browser.wait(for: "Luna") { try await browser.visibleCards() == ["Luna"] }
                }
            }
        }

        @Test("A server that cannot be reached is treated like no connection, on the map too")
        func unreachable() async throws {
            try await Browser.with { browser in
                var base = ""
                try await Scene.empty(hasModel: false) { service in
                    base = service.base
                    _ = try await service.post("Argo", 1, try await service.guest())
                    try await browser.open(base + "/board")
                    try await browser.waitForServiceWorker()
                    try await browser.open(base + "/map")
                    try await browser.find(".leaflet-tile-loaded")
                    try await browser.open(base + "/board")
                }
                try await browser.open(base + "/board")
                #expect(try await browser.cards() == ["Argo"])
                #expect(try await browser.script("return navigator.onLine") == true)
                #expect(try await browser.find("#offline").isShown())
                try await browser.open(base + "/map")
                #expect(try await browser.find("#offline").isShown())
                try await browser.find(".leaflet-tile-loaded")
                try await browser.find(".pin.lost")
                // At a zoom level that was not visited, the tiles are enlarged.
                let zoom = try await browser.script(
                    "return Number(document.querySelector('.leaflet-tile-loaded').src.match(/basemap.(\\d+)/)[1])"
                ).number
                let closer = Int(try #require(zoom)) + 1
                try await browser.click(".leaflet-control-zoom-in")
                try await browser.find(".leaflet-tile-loaded[src*='/basemap/\(closer)/']")
                #expect(try await browser.find("#waiting").isShown() == false)
            }
        }

        @Test("The browser stores no messages")
        func messages() async throws {
            try await withReader(["Argo"]) { browser, service in
                let (owner, writer) = (try await service.guest(), try await service.guest())
                let listing = try await service.post("Luna", 3, owner)
                let conversation = try await service.write("I saw her", listing, writer)
                try await browser.hold(owner, at: service)
                for path in [
                    "/inbox", "/inbox/\(conversation)", "/inbox?listing=\(listing)", "/listings/\(listing)/write",
                ] {
                    try await browser.open(service.base + path)
                }
                try await browser.open(service.base + "/inbox")
                #expect(try await browser.text("main").contains("I saw her"))
                let kept = try await keptTexts(in: browser)
                #expect(kept.contains { $0.contains("Argo") } && !kept.contains { $0.contains("I saw her") })
                try await browser.be(.offline)
                try await browser.open(service.base + "/inbox")
                #expect(try await browser.text("h1") == "You are offline")
            }
        }

        @Test("The browser stores no data that only the owner may see, but the empty form works offline")
        func own() async throws {
            try await withReader(["Argo"]) { browser, service in
                let phone = "+39 089 7654321"
                let owner = try await service.register("luisa@example.org")
                try await service.send("PATCH", "/v1/me", #"{"phone": "\#(phone)"}"#, token: owner)
                let listing = try await service.post("Luna", 3, owner, #""microchip": "380260000000042""#)
                let dog = try #require(try await arrivedIDs(at: service).first { $0 != listing })
                try await browser.hold(owner, at: service)
                for path in [
                    "/account", "/post", "/my", "/listings/\(listing)", "/listings/\(listing)/edit", "/listings/\(dog)",
                ] {
                    try await browser.open(service.base + path)
                }
                try await browser.open(service.base + "/post")
                #expect(try await browser.find("[name=contact_phone]").value() == phone)
                let kept = try await keptTexts(in: browser)
                for path in ["/post", "/listings/\(dog)"] {
                    #expect(kept.contains { $0.hasPrefix(service.base + path) }, "\(path)")
                }
                for path in ["/account", "/my", "/listings/\(listing)"] {
                    #expect(!kept.contains { $0.hasPrefix(service.base + path) }, "\(path)")
                }
                for secret in ["7654321", "380260000000042", "luisa@example.org"] {
                    #expect(!kept.contains { $0.contains(secret) }, "\(secret)")
                }
                try await browser.be(.offline)
                try await browser.open(service.base + "/post")
                #expect(try await browser.find("[name=contact_phone]").value().isEmpty)
                try await browser.open(service.base + "/my")
                #expect(try await browser.text("h1") == "You are offline")
            }
        }

        private func arrivedIDs(at service: RunningService) async throws -> [String] {
            try await service.send("GET", "/v1/listings").features.compactMap { $0["id"].text }
        }

        /// The addresses and texts of all cache entries of this site.
        private func keptTexts(in browser: Browser) async throws -> [String] {
            try await browser.script(
                """
                return (async () => {
                    const texts = []
                    for (const name of await caches.keys()) {
                        const cache = await caches.open(name)
                        for (const key of await cache.keys()) texts.push(key.url + await (await cache.match(key)).text())
                    }
                    return texts
                })()
                """
            ).items.compactMap(\.text)
        }

        @Test("Listings written offline are each posted once with their photo, whichever tabs are open")
        func writing() async throws {
            let folder = try TemporaryFolder()
            try await withReader { browser, service in
                try await browser.be(.offline)
                try await write("Argo", in: browser, at: service, try folder.photo(.red))
                try await browser.wait(for: "kept on this device", in: "[data-failure]")
                try await browser.wait(for: "1 listing is waiting", in: "#waiting")
                try await write("Luna", in: browser, at: service)
                try await browser.wait(for: "2 listings are waiting", in: "#waiting")
                let first = try await browser.tab()
                try await browser.openTab()
                try await browser.open(service.base + "/board")
                try await browser.wait(for: "2 listings are waiting", in: "#waiting")
                #expect(try await arrived(at: service).isEmpty)
                try await browser.go(to: first)
                try await browser.be(.fine)
                try await browser.wait(for: "the listings") { try await arrived(at: service).count == 2 }
                try await browser.wait(for: "an empty outbox") {
                    try await !browser.find("#waiting").text().contains("wait")
                }
                #expect(try await Set(arrived(at: service)) == ["Argo", "Luna"])
                try await browser.open(service.base + "/my")
                #expect(try await browser.findAll(".mine").count == 2)
                #expect(try await browser.findAll(".mine img").count == 1)
            }
        }

        @Test("A listing is created once if the first response is lost")
        func lostAnswer() async throws {
            try await withReader { browser, service in
                try await browser.session.devTools(
                    "Page.addScriptToEvaluateOnNewDocument",
                    [
                        "source": """
                        const send = window.fetch
                        window.fetch = async (...request) => {
                            const answer = await send(...request)
                            if (request[1]?.method != "POST" || sessionStorage.lost) return answer
                            sessionStorage.lost = "yes"
                            throw new TypeError("the answer was lost")
                        }
                        """
                    ]
                )
                try await write("Argo", in: browser, at: service)
                try await browser.wait(for: "kept on this device", in: "[data-failure]")
                #expect(try await arrived(at: service) == ["Argo"])
                try await browser.open(service.base + "/my")
                try await browser.wait(for: "Your listing was sent.", in: "#waiting")
                #expect(try await arrived(at: service) == ["Argo"])
                try await browser.reload()
                #expect(try await browser.findAll(".mine").count == 1)
            }
        }

        @Test("A draft with a photo survives a reload until it is discarded")
        func draft() async throws {
            let folder = try TemporaryFolder()
            try await withReader { browser, service in
                try await browser.open(service.base + "/post")
                try await browser.find("[data-photos]").upload(try folder.photo(.red))
                try await browser.find("[data-previews] img")
                try await browser.click(".choice.found input")
                try await browser.unfold()
                try await browser.find("[name=sex]").select("female")
                try await browser.type("Luna", into: "[name=name]")
                try await browser.wait(for: "the draft on disk") { try await draftName(in: browser) == "Luna" }
                try await browser.reload()
                try await browser.wait(for: "Your draft is back.", in: "[data-draft]")
                #expect(try await browser.find("[name=name]").value() == "Luna")
                #expect(try await browser.find("[name=sex]").value() == "female")
                #expect(try await browser.find(".choice.found input").isSelected())
                #expect(try await browser.findAll("[data-previews] img").count == 1)
                try await browser.click("[data-draft-discard]")
                try await browser.wait(for: "an empty form") { try await browser.find("[name=name]").value().isEmpty }
                #expect(try await browser.findAll("[data-previews] img").isEmpty)
                #expect(try await browser.find("[data-draft]").isShown() == false)
            }
        }

        private func draftName(in browser: Browser) async throws -> String? {
            try await browser.script(
                """
                return new Promise(resolve => {
                    const request = indexedDB.open("doggofinder", 1)
                    request.onsuccess = () => {
                        const draft = request.result.transaction("draft").objectStore("draft").get("post")
                        draft.onsuccess = () => {
                            request.result.close()
                            resolve(draft.result?.find(([name]) => name == "name")?.[1])
                        }
                    }
                })
                """
            ).text
        }
    }
}
