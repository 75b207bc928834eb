import Domain
import Logging
import Mapillary
import ServerSupport
import TestSupport
import Testing

extension InBrowser {
    @Suite("Map page")
    struct MapPageTests {
        @Test("The map goes to the place of a search, and tells where nothing was found", arguments: [true, false])
        func places(runsScripts: Bool) async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(runsScripts: runsScripts)) { browser in
                    try await browser.open(service.base + "/map")
                    try await browser.type("Zzzqx", into: "[name=q]")
                    try await browser.click(".mapbar button[type=submit]")
                    try await browser.wait(forAddress: "q=Zzzqx")
                    #expect(try await browser.text(".reading li span") == "“Zzzqx”")
                    try await browser.click("[data-empty] a")
                    try await browser.wait(forAddress: "/board?q=Zzzqx")
                    try await browser.open(service.base + "/map?q=black+dog+Campania")
                    #expect(try await browser.findAll(".notice.problem").isEmpty)
                    #expect(try await browser.find("#map").attribute("data-zoom") == "8")
                    #expect(try await browser.find("#map").attribute("data-words") == "black dog")
                    try await browser.open(service.base + "/map?q=zona+Castro+(LE)")
                    #expect(try await browser.find("#map").attribute("data-lon")?.hasPrefix("18.4") == true)
                }
            }
        }

        @Test("The maps start at the operator's area, and at a place that the address names")
        func start() async throws {
            var site = SiteSettings()
            site.mapArea = try BoundingBox(parsing: "14.3,39.9,15.9,41.1")
            try await RunningService.with(hasModel: false, baseURL: "http://127.0.0.1", site: site) { service in
                let guest = try await service.guest()
                for number in 1...2 { _ = try await service.post("Dog \(number)", number, guest) }
                for number in 1...3 {
                    _ = try await service.post(
                        #"{"name": "Far \#(number)", "status": "lost", "place": "Milano"}"#,
                        guest
                    )
                }
                try await Browser.with(.desktop) { browser in
                    for (path, count) in [("/map", 2), ("/map?lon=9.19&lat=45.46", 3)] {
                        try await browser.open(service.base + path)
                        try await browser.wait(for: "\(count) listings in this area", in: "[data-count]")
                    }
                }
            }
        }

        @Test("A reader draws an area, and is told of what is in it")
        func drawing() async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with { browser in
                    try await browser.open(service.base + "/map?lon=14.79&lat=40.77&zoom=13")
                    try await browser.wait(for: "0 listings in this area", in: "[data-count]")
                    try await browser.click("[data-draw]")
                    #expect(try await browser.find("[data-draw-hint]").text().contains("Tap at least three corners"))
                    _ = try await browser.script(
                        """
                        const map = document.getElementById("map"), box = map.getBoundingClientRect();
                        for (const [x, y] of [[0.3, 0.3], [0.7, 0.3], [0.5, 0.7]]) {
                            map.dispatchEvent(new MouseEvent("click", {
                                bubbles: true, clientX: box.left + x * box.width, clientY: box.top + y * box.height}));
                        }
                        """
                    )
                    try await browser.find("path.drawn")
                    try await browser.click("[data-map-offer] button[type=submit]")
                    try await browser.wait(forAddress: "/my/alerts")
                    try await browser.find(".alert-entry .smallmap path.area")
                    let cookies = try await browser.cookies()
                    let token = try #require(cookies.first { $0.name.hasSuffix("doggofinder") }?.value)
                    let alerts = try await service.send("GET", "/v1/me/alerts", token: token)
                    let polygon = try #require(alerts.text("alerts", "0", "search", "polygon"))
                    #expect(polygon.split(separator: ",").count == 6)
                    #expect(alerts.text("alerts", "0", "search", "bbox") == nil)
                }
            }
        }

        @Test("Single listings have pins in the colour of their status, alone or among many")
        func pins() async throws {
            try await Scene.empty(hasModel: false) { service in
                let guest = try await service.guest()
                // More than 150 listings in view are shown by cells.
                for number in 0..<155 { _ = try await service.post("Dog \(number)", number % 3, guest) }
                _ = try await service.post(
                    #"{"name": "Luna", "status": "found", "lon": 15.6, "lat": 40.4, "species": "dog"}"#,
                    guest
                )
                try await Browser.with(.desktop) { browser in
                    try await browser.open(service.base + "/map?lon=15.1&lat=40.6&zoom=9")
                    try await browser.find(".pin.group")
                    try await browser.find(".pin.found")
                    let labels = try await browser.script(
                        """
                        const pins = [...document.querySelectorAll(".leaflet-marker-icon")]
                        return pins.map(pin => [pin.getAttribute("role"), pin.getAttribute("aria-label"), pin.tabIndex].join("|"))
                        """
                    ).items.compactMap(\.text)
                    #expect(labels.count > 1 && labels.allSatisfy { $0.hasPrefix("button|") && $0.hasSuffix("|0") })
                    #expect(
                        labels.contains { $0.hasPrefix("button|Found: ") } && !labels.contains { $0.contains("||") })
                    try await browser.click(".pin.found")
                    try await browser.wait(for: "Luna", in: ".leaflet-popup .card h2")
                    #expect(try await browser.findAll(".pin.group").count >= 1)
                    #expect(try await browser.consoleErrors() == [])
                }
            }
        }

        @Test("The list beside the map follows the map, and pointing at a card marks its pin")
        func list() async throws {
            try await Scene.empty(hasModel: false) { service in
                let guest = try await service.guest()
                _ = try await service.post("Argo", 1, guest)
                _ = try await service.post(#"{"name": "Bruno", "status": "lost", "place": "Milano"}"#, guest)
                try await Browser.with(.desktop) { browser in
                    try await browser.open(service.base + "/map?q=Milano")
                    try await browser.wait(forCards: ["Bruno"])
                    let (map, list) = (try await browser.frame(of: "#map"), try await browser.frame(of: ".under"))
                    #expect(list.left >= map.left + map.width)
                    // The list may be drawn again in between.
                    try await browser.wait(for: "the marked pin") {
                        try await browser.find(".card a").focus()
                        return try await !browser.findAll(".pin.lost.is-marked").isEmpty
                    }
                    try await browser.open(service.base + "/map?q=Fisciano")
                    try await browser.wait(forCards: ["Argo"])
                }
            }
        }

        @Test("All kinds of points of interest can be shown")
        func pointsOfInterest() async throws {
            try await Scene.with { scene in
                try await Browser.with(.phone) { browser in
                    try await browser.open(scene.service.base + "/map?q=Fisciano")
                    for category in PointOfInterest.Category.allCases {
                        #expect(try await browser.findAll("[name=category][value=\(category.rawValue)]").count == 1)
                    }
                    try await browser.click("[name=category][value=veterinary]")
                    try await browser.click(".pin.poi")
                    try await browser.wait(for: "Look for street pictures", in: ".leaflet-popup")
                    #expect(try await browser.text(".leaflet-popup").contains(#/(Open until|Closed, opens) /#))
                    #expect(try await browser.findAll("#map[data-street-pictures]").isEmpty)
                }
            }
        }

        @Test(
            "The link to street pictures is renamed where there are some, and hidden where there are none",
            arguments: [#"{"data":[{"id":"1"}]}"#, #"{"data":[]}"#, "{}"],
            ["en", "it"]
        )
        func streetPictures(answer: String, language: String) async throws {
            let mapillary = try ScriptedHTTPServer(.body(answer))
            defer { mapillary.stop() }
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            var limits = StreetPictures.Limits()
            limits.requestTime = 60_000
            let pictures = try #require(
                StreetPictures(token: "MLY|1|x", address: mapillary.address, limits: limits, logger: logger)
            )
            let baseURL = "http://127.0.0.1"
            try await RunningService.with(hasModel: false, baseURL: baseURL, streetPictures: pictures) { service in
                try await service.putHelp()
                try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                    try await browser.open(service.base + "/map?q=Fisciano")
                    try await browser.holdRequest(for: "street-pictures")
                    try await browser.click("[name=category][value=veterinary]")
                    try await browser.click(".pin.poi")
                    let unknown = language == "en" ? "Look for street pictures" : "Cerca foto della strada"
                    let known = language == "en" ? "Street pictures" : "Foto della strada"
                    try await browser.wait(for: unknown, in: "[data-street]")
                    let before = try await browser.placesOfLinks()
                    try await browser.wait(for: "the request") {
                        try await browser.script("return !!window.sendHeld") == true
                    }
                    try await browser.script("window.sendHeld()")
                    switch answer {
                    case #"{"data":[]}"#:
                        try await browser.wait(for: "no link") { try await !browser.find("[data-street]").isShown() }
                    case "{}":
                        try await browser.wait(for: "the answer") {
                            let script = "return performance.getEntriesByType('resource').map(({ name }) => name)"
                            return try await browser.script(script).items.contains {
                                $0.text?.hasSuffix("/v1/pois/1/street-pictures") == true
                            }
                        }
                        #expect(try await browser.find("[data-street]").text() == unknown)
                    default:
                        try await browser.wait(for: "the new text") {
                            try await browser.find("[data-street]").text() == known
                        }
                    }
                    let after = try await browser.placesOfLinks()
                    // Fractions of a pixel depend on where the map stands.
                    let isSame = after.count == before.count && zip(after, before).allSatisfy { abs($0 - $1) < 1 }
                    #expect(isSame, "\(before), then \(after)")
                    #expect(before.count > 6)
                    #expect(mapillary.requests.count == 1)
                    #expect(try await browser.consoleErrors() == [])
                }
            }
        }

        @Test("Text of twice the size breaks no words and leaves room to type", arguments: ["it", "en"])
        func largeText(language: String) async throws {
            try await Scene.empty(hasModel: false) { service in
                try await Browser.with(Visitor(screen: .phone, language: language)) { browser in
                    try await browser.open(service.base + "/map")
                    try await browser.script("document.documentElement.style.fontSize = '200%'")
                    #expect(try await browser.frame(of: "[name=q]").width > 180)
                    let broken = """
                        return [...document.querySelectorAll("nav.main span, .brand span")].filter((label) => {
                          const range = document.createRange();
                          range.selectNodeContents(label);
                          const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
                          return lines.size > label.textContent.split(" ").length;
                        }).map((label) => label.textContent);
                        """
                    #expect(try await browser.script(broken).items.isEmpty)
                    let outside = "return document.documentElement.scrollWidth > innerWidth"
                    #expect(try await browser.script(outside) == false)
                }
            }
        }
    }
}

extension Browser {
    /// Keeps the page's next request whose address contains a text until the page's function `sendHeld` is called.
    fileprivate func holdRequest(for text: String) async throws {
        let script = """
            const [text, send] = [arguments[0], window.fetch.bind(window)];
            window.fetch = async (...request) => {
              if (String(request[0]).includes(text)) await new Promise((resolve) => (window.sendHeld = () => resolve()));
              return send(...request);
            };
            """
        try await self.script(script, .string(text))
    }

    /// The height of the open popup and the corners of its links, in CSS pixels from the corner of the popup: the map
    /// may still move.
    fileprivate func placesOfLinks() async throws -> [Double] {
        let script = """
            const popup = document.querySelector(".leaflet-popup-content");
            const corner = popup.getBoundingClientRect();
            return [corner.height, ...[...popup.querySelectorAll("a")].flatMap((link) => {
              const { left, top } = link.getBoundingClientRect();
              return [left - corner.left, top - corner.top];
            })];
            """
        return try await self.script(script).items.compactMap(\.number)
    }

    /// The position and size of an element in CSS pixels.
    fileprivate func frame(of css: String) async throws -> (left: Double, width: Double) {
        let script =
            "const { left, width } = document.querySelector(arguments[0]).getBoundingClientRect(); return [left, width]"
        let frame = try await self.script(script, .string(css)).items
        return (frame.first?.number ?? 0, frame.last?.number ?? 0)
    }
}
