import Domain
import ServerSupport
import Testing

@Suite("Map pages")
struct MapPagesTests {
    @Test("The map gets the address of its tiles, and outlines as GeoJSON")
    func settingsAndOutlines() async throws {
        try await RunningService.with(hasModel: false) { service in
            let settings = try await service.send("GET", "/map/settings?lang=it")
            #expect(settings.status == 200 && settings.headers["content-type"] == "application/json")
            #expect(settings.json.fields.keys.sorted() == ["attribution", "basemap", "outlines", "tiles"])
            #expect(settings.text("outlines")?.isEmpty == false)
            let outlines = try await service.send("GET", "/map/outlines?bbox=14,40,15,41&zoom=8")
            #expect(outlines.status == 200 && outlines.headers["content-type"] == "application/geo+json")
            #expect(outlines.text("type") == "MultiPolygon")
            let refused = try await service.send("GET", "/map/outlines?zoom=8")
            #expect(refused.status == 400 && refused.text("field") == "bbox")
            guard case .number? = outlines["coordinates", "0", "0", "0", "0"] else {
                Issue.record("no coordinates")
                return
            }
        }
    }

    @Test(
        "The text of the map may be an address, alone or beside words about animals",
        arguments: [
            ("via Roma 12, Fisciano", "Via Roma 12, Fisciano", nil),
            ("VIA ROMA 12 fisciano salerno", "Via Roma 12, Fisciano", nil),
            ("via roma 19 fisciano", "vicino a Via Roma 20, Fisciano", nil),
            ("via Roma", "Via Roma, Fisciano", nil),
            ("v. Roma 12", "Via Roma 12, Fisciano", nil),
            ("Ospedale Ruggi", "Ospedale Ruggi, Fisciano", nil),
            ("cane nero via Roma 12 Fisciano", "Via Roma 12, Fisciano", "cane nero"),
            ("via Roma 12 Fisciano cane nero", "Via Roma 12, Fisciano", "cane nero"),
            // Dogs with names of streets and landmarks, towns, texts with a number, and quoted texts are no addresses.
            ("Roma", nil, nil),
            ("Ruggi", nil, "Ruggi"),
            ("Fisciano Salerno", nil, nil),
            ("cane nero Fisciano", nil, "cane nero"),
            ("Argo 12 anni", nil, "Argo 12 anni"),
            (#""via Roma 12 Fisciano""#, nil, #""via" "Roma" "12" "Fisciano""#),
            ("380260000123456", nil, "380260000123456"),
        ] as [(String, String?, String?)]
    )
    func addresses(text: String, address: String?, words: String?) async throws {
        try await FiscianoMap.with { service in
            let query = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let page = try await service.page("/map?lang=it&q=\(query)")
            #expect(page.attribute("data-address") == address)
            #expect(page.attribute("data-words") == words)
            if address != nil {
                #expect(page.attribute("data-lon").flatMap(Double.init)?.isNear(FiscianoMap.lon, by: 0.002) == true)
                #expect(page.attribute("data-zoom") == "17")
            }
        }
    }

    @Test("Listings around an address are listed, and only those that the other words find")
    func listingsAtAddress() async throws {
        try await FiscianoMap.with { service in
            let token = try await service.guest()
            let (lon, lat) = (FiscianoMap.lon, FiscianoMap.lat)
            let black = #"{"status": "lost", "species": "dog", "colour": "nero", "lon": \#(lon), "lat": \#(lat)}"#
            let white = #"{"status": "lost", "species": "dog", "colour": "bianco", "lon": \#(lon), "lat": \#(lat)}"#
            let far = #"{"status": "lost", "species": "dog", "colour": "nero", "place": "Milano"}"#
            let ids = try await [
                service.post(black, token), service.post(white, token), service.post(far, token),
            ]
            let all = try await service.page("/map?lang=it&q=via+Roma+12+Fisciano")
            #expect(ids.map(all.contains) == [true, true, false])
            let some = try await service.page("/map?lang=it&q=cane+nero+via+Roma+12+Fisciano")
            #expect(ids.map(some.contains) == [true, false, false])
        }
    }

    @Test("Without an extract no text is an address, and no address is suggested")
    func withoutExtract() async throws {
        try await RunningService.with(hasModel: false) { service in
            let page = try await service.page("/map?lang=it&q=via+Roma+12+Fisciano")
            #expect(page.attribute("data-address") == nil && !page.contains("data-addresses"))
        }
    }

    @Test("Without a place the map starts at the operator's area, and lists its listings")
    func start() async throws {
        var site = SiteSettings()
        site.mapArea = try BoundingBox(parsing: "14.3,39.9,15.9,41.1")
        for isSet in [true, false] {
            try await RunningService.with(hasModel: false, site: isSet ? site : SiteSettings()) { service in
                let token = try await service.guest()
                let inside = try await service.post(#"{"status": "lost", "lon": 14.8, "lat": 40.7}"#, token)
                let outside = try await service.post(#"{"status": "lost", "lon": 9.2, "lat": 45.5}"#, token)
                for path in ["/map", "/post"] {
                    let area = #"data-map-area="14.3,39.9,15.9,41.1""#
                    #expect(try await service.page(path).contains(area) == isSet, "\(path)")
                }
                let map = try await service.page("/map")
                #expect(map.contains(inside) && map.contains(outside) != isSet)
                #expect(try await service.page("/map?lon=9.2&lat=45.5").contains(outside))
            }
        }
    }
}

extension MapPagesTests {
    @Test(
        "Without the operator's area, maps start at the country of the reader's language",
        arguments: [("fr", -5.5, 9.7), ("it", 6.5, 18.6), ("es", -9.4, 4.4)]
    )
    func startOfLanguage(language: String, west: Double, east: Double) async throws {
        try await RunningService.with(hasModel: false) { service in
            let page = try await service.page("/map?lang=\(language)")
            let area = try BoundingBox(parsing: page.attribute("data-map-area") ?? "")
            #expect(abs(area.southWest.lon - west) < 0.5 && abs(area.northEast.lon - east) < 0.5, "\(area.text)")
            #expect(try await service.page("/map?lang=en").attribute("data-map-area") == nil)
        }
    }

    @Test("Distances are in miles where the site is in a country that has them")
    func miles() async throws {
        var site = SiteSettings()
        site.mapArea = try BoundingBox(parsing: "-2.5,51.5,-1.5,53")
        try await RunningService.with(hasModel: false, site: site) { service in
            let token = try await service.guest()
            _ = try await service.post(#"{"status": "lost", "lon": -2, "lat": 52.1, "name": "Rex"}"#, token)
            let page = try await service.page("/board?lang=en&lon=-2&lat=52&radius=50000")
            #expect(page.contains("data-miles") && page.contains(">31\u{A0}mi<"))
            // The point is the centre of a cell.
            #expect(page.contains(#/class="distance">[67](\.\d)?.mi</#))
            #expect(!page.contains("\u{A0}km"))
        }
        try await RunningService.with(hasModel: false) { service in
            let page = try await service.page("/board?lang=en")
            #expect(!page.contains("data-miles"))
        }
    }
}

extension RunningService {
    fileprivate func page(_ path: String) async throws -> String {
        String(decoding: try await send("GET", path).body, as: UTF8.self)
    }
}

extension String {
    /// Returns the value of the first attribute with this name in a page.
    fileprivate func attribute(_ name: String) -> String? {
        let parts = split(separator: " \(name)=\"", maxSplits: 1)
        return parts.count < 2
            ? nil : parts[1].prefix { $0 != "\"" }.replacing("&quot;", with: "\"").description
    }
}

extension Double {
    fileprivate func isNear(_ other: Double, by difference: Double) -> Bool { abs(self - other) < difference }
}
