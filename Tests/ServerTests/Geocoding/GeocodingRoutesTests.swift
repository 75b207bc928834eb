import Domain
import Foundation
import ServerSupport
import Testing

extension JSONValue {
    fileprivate var number: Double? { if case .number(let number) = self { number } else { nil } }
}

@Suite("Nominatim and Photon routes")
struct GeocodingRoutesTests {
    private static let fisciano = "lat=40.77&lon=14.79"

    private static func keys(_ value: JSONValue?) -> Set<String> {
        if case .object(let fields)? = value { Set(fields.keys) } else { [] }
    }

    private static func items(_ value: JSONValue?) -> [JSONValue] {
        if case .array(let items)? = value { items } else { [] }
    }

    @Test("A point gives an answer in Nominatim's format: numbers as text, a box and an address")
    func nominatimReverse() async throws {
        try await RunningService.with { service in
            let answer = try await service.send("GET", "/nominatim/reverse?format=json&\(Self.fisciano)")
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/json")
            #expect(
                Self.keys(answer.json) == [
                    "place_id", "licence", "lat", "lon", "class", "type", "place_rank", "importance", "addresstype",
                    "name", "display_name", "address", "boundingbox",
                ]
            )
            #expect(answer.text("display_name") == "Fisciano, Salerno, Campania, 84084, Italy")
            #expect(answer.text("class") == "place" && answer.text("type") == "village")
            #expect(answer.text("licence")?.contains("GeoNames") == true)
            let lat = try #require(answer.text("lat").flatMap(Double.init))
            let lon = try #require(answer.text("lon").flatMap(Double.init))
            #expect(abs(lat - 40.77) < 0.01 && abs(lon - 14.79) < 0.01)
            let sides = (0..<4).compactMap { answer.text("boundingbox", "\($0)").flatMap(Double.init) }
            #expect(sides.count == 4 && sides[0] < lat && lat < sides[1] && sides[2] < lon && lon < sides[3])
            #expect(
                answer["address"]
                    == .object([
                        "village": .string("Fisciano"), "county": .string("Salerno"), "state": .string("Campania"),
                        "postcode": .string("84084"), "country": .string("Italy"), "country_code": .string("it"),
                        "ISO3166-2-lvl4": .string("IT-72"), "ISO3166-2-lvl6": .string("IT-SA"),
                    ])
            )
            let second = try await service.send(
                "GET",
                "/nominatim/reverse?format=jsonv2&addressdetails=0&extratags=1&namedetails=1&\(Self.fisciano)"
            )
            #expect(second.text("category") == "place" && second["class"] == nil && second["address"] == nil)
            #expect(second.text("namedetails", "name") == "Fisciano")
            #expect(second.text("extratags", "population") != nil)
            #expect(second["place_id"] == answer["place_id"])
        }
    }

    @Test("The detail of reverse geocoding depends on the zoom")
    func zoom() async throws {
        let names = [
            (0, "Italy", "country"), (3, "Italy", "country"), (5, "Campania", "state"), (8, "Salerno", "county"),
            (10, "Baronissi", "town"), (12, "Baronissi", "town"), (18, "Antessano", "hamlet"),
            (99, "Antessano", "hamlet"),
        ]
        try await RunningService.with { service in
            let places = try await service.send("GET", "/v1/places?q=Antessano,+Baronissi")
            let point = Self.items(places["features", "0", "geometry", "coordinates"])
            guard case .number(let lon)? = point.first, case .number(let lat)? = point.last else {
                throw TestFailure("no Antessano")
            }
            for (zoom, name, type) in names {
                let answer = try await service.send("GET", "/nominatim/reverse?lat=\(lat)&lon=\(lon)&zoom=\(zoom)")
                #expect(answer.text("name") == name, "zoom \(zoom)")
                #expect(answer.text("addresstype") == type, "zoom \(zoom)")
                #expect(answer.text("address", type) == name, "zoom \(zoom)")
                #expect((answer.text("class") == "boundary") == (zoom < 10), "zoom \(zoom)")
            }
            let country = try await service.send("GET", "/nominatim/reverse?lat=\(lat)&lon=\(lon)&zoom=3")
            let found = try await service.send("GET", "/nominatim/search?q=Italia&featureType=country&limit=1")
            #expect(found["0", "place_id"] == country["place_id"] && country["place_id"] != nil)
            let sides = (0..<4).compactMap { country.text("boundingbox", "\($0)").flatMap(Double.init) }
            #expect(sides.map { Int($0) } == [35, 47, 6, 18])
        }
    }

    @Test("Both kinds of GeoJSON are collections, for a point and for a name")
    func geojson() async throws {
        try await RunningService.with { service in
            for path in ["reverse?\(Self.fisciano)", "search?q=Fisciano&addressdetails=1&limit=1"] {
                let plain = try await service.send("GET", "/nominatim/\(path)&format=geojson")
                #expect(plain.text("type") == "FeatureCollection" && plain.features.count == 1)
                #expect(plain.text("features", "0", "properties", "name") == "Fisciano")
                #expect(plain.text("features", "0", "properties", "category") == "place")
                #expect(plain.text("features", "0", "properties", "address", "country_code") == "it")
                #expect(plain.text("features", "0", "geometry", "type") == "Point")
                #expect(Self.items(plain["features", "0", "bbox"]).count == 4)
                let coded = try await service.send("GET", "/nominatim/\(path)&format=geocodejson")
                #expect(coded.text("geocoding", "version") == "0.1.0")
                #expect(coded.text("features", "0", "properties", "geocoding", "type") == "city")
                #expect(coded.text("features", "0", "properties", "geocoding", "county") == "Salerno")
                #expect(coded.text("features", "0", "properties", "geocoding", "country_code") == "it")
            }
        }
    }

    @Test("Names are found in Nominatim's format, up to the requested limit")
    func nominatimSearch() async throws {
        try await RunningService.with { service in
            let plain = try await service.send("GET", "/nominatim/search?q=Salerno")
            #expect(plain.text("0", "category") == "place" && plain.text("0", "type") == "city")
            #expect(plain["0", "address"] == nil && plain["0", "place_rank"] == .number(16))
            let paris = try await service.send(
                "GET",
                "/nominatim/search?q=Paris&countrycodes=us,%20CA&format=json&addressdetails=1&limit=50&dedupe=1&email=a@b.c"
            )
            #expect(Self.items(paris.json).count > 2)
            for index in Self.items(paris.json).indices {
                #expect(["us", "ca"].contains(paris.text("\(index)", "address", "country_code")))
            }
            let boxed = "/nominatim/search?q=San+Giovanni&limit=50&viewbox=14,41,15,40"
            let bounded = Self.items(try await service.send("GET", boxed + "&bounded=1").json)
            let hinted = Self.items(try await service.send("GET", boxed).json)
            #expect(!bounded.isEmpty && hinted.count >= bounded.count)
            for index in bounded.indices {
                let answer = try await service.send("GET", boxed + "&bounded=1")
                let lon = try #require(answer.text("\(index)", "lon").flatMap(Double.init))
                let lat = try #require(answer.text("\(index)", "lat").flatMap(Double.init))
                #expect((14...15).contains(lon) && (40...41).contains(lat))
            }
            // A place in another country is not a misspelling of a place here.
            #expect(try await service.send("GET", "/nominatim/search?q=Roma&countrycodes=jp").json == .array([]))
            #expect(try await service.send("GET", "/nominatim/search?q=qxqxqxqx").json == .array([]))
            #expect(try await service.send("GET", "/nominatim/search?q=Roma&layer=poi").json == .array([]))
            let first = try #require(plain["0", "place_id"]?.number)
            let rest = try await service.send("GET", "/nominatim/search?q=Salerno&exclude_place_ids=\(Int(first))")
            #expect(rest["0", "place_id"] == plain["1", "place_id"])
            let typed = try await service.send("GET", "/nominatim/search?q=40.77+14.79")
            #expect(typed.text("0", "name") == "Fisciano")
        }
    }

    @Test("A structured search finds the place that its finest part names")
    func structured() async throws {
        let cases = [
            ("city=Salerno&country=Italia", "Salerno", "city"), ("county=Salerno", "Salerno", "county"),
            ("state=Campania&country=Italy", "Campania", "state"), ("country=Germania", "Germany", "country"),
            ("street=Via+Roma+1&city=Fisciano&postalcode=84084", "Fisciano", "village"),
            ("postalcode=84084&country=Italia", "Fisciano", "village"), ("q=Salerno&featureType=state", nil, nil),
            ("city=Qxqxqxq&country=Italia", nil, nil), ("street=Via+Roma+1", nil, nil),
        ]
        try await RunningService.with { service in
            for (query, name, type) in cases {
                let answer = try await service.send("GET", "/nominatim/search?\(query)")
                #expect(answer.status == 200)
                #expect(answer.text("0", "name") == name, "\(query)")
                #expect(answer.text("0", "addresstype") == type, "\(query)")
            }
        }
    }

    @Test("The language comes from the parameter, then from the header, and is otherwise English")
    func languages() async throws {
        try await RunningService.with { service in
            let cases: [(String, [String: String], String)] = [
                ("", [:], "Germany"), ("&accept-language=it", [:], "Germania"),
                ("&accept-language=nl-NL,it;q=0.8,en;q=0.5", [:], "Germania"),
                ("&accept-language=pt-PT,it;q=0.8,en;q=0.5", [:], "Alemanha"),
                ("&accept-language=fr-FR,it;q=0.8,en;q=0.5", [:], "Allemagne"),
                ("", ["Accept-Language": "it-IT"], "Germania"),
                ("&accept-language=en", ["Accept-Language": "it-IT"], "Germany"),
                ("&accept-language=xx", ["Accept-Language": "it"], "Germania"),
            ]
            for (query, headers, country) in cases {
                let answer = try await service.send(
                    "GET",
                    "/nominatim/reverse?lat=52.52&lon=13.4\(query)",
                    headers: headers
                )
                #expect(answer.text("address", "country") == country, "\(query) \(headers)")
                let photon = try await service.send(
                    "GET",
                    "/photon/reverse?lat=52.52&lon=13.4\(query.replacing("accept-language", with: "lang"))",
                    headers: headers
                )
                #expect(photon.text("features", "0", "properties", "country") == country, "\(query) \(headers)")
            }
        }
    }

    @Test("Nothing is found at sea, and Nominatim's error format is used")
    func nothing() async throws {
        try await RunningService.with { service in
            for format in ["json", "jsonv2", "geojson", "geocodejson"] {
                let sea = try await service.send("GET", "/nominatim/reverse?lat=0&lon=-30&format=\(format)")
                #expect(sea.status == 200 && sea.json == .object(["error": .string("Unable to geocode")]))
            }
            let sea = try await service.send("GET", "/photon/reverse?lat=0&lon=-30")
            #expect(sea.status == 200 && sea.text("type") == "FeatureCollection" && sea.features.isEmpty)
            // In the desert, only the region is known.
            let desert = try await service.send("GET", "/nominatim/reverse?lat=23&lon=10")
            #expect(desert.text("addresstype") == "state" && desert.text("address", "country_code") == "dz")
        }
    }

    @Test("The status is available as text and as JSON")
    func status() async throws {
        try await RunningService.with { service in
            let plain = try await service.send("GET", "/nominatim/status")
            #expect(plain.body == Data("OK".utf8) && plain.headers["content-type"]?.hasPrefix("text/plain") == true)
            #expect(try await service.send("GET", "/nominatim/status?format=json")["status"] == .number(0))
        }
    }

    @Test("Places are returned in Photon's format, with and without a trailing slash")
    func photon() async throws {
        try await RunningService.with { service in
            for path in ["/photon/api?q=Fisciano&limit=1", "/photon/api/?q=Fisciano&limit=1"] {
                let answer = try await service.send("GET", path)
                #expect(answer.text("type") == "FeatureCollection" && answer.features.count == 1)
                #expect(answer.text("features", "0", "geometry", "type") == "Point")
                let place = answer["features", "0", "properties"]
                #expect(
                    Self.keys(place) == [
                        "osm_key", "osm_value", "type", "name", "postcode", "county", "state", "country", "countrycode",
                        "extent",
                    ]
                )
                #expect(answer.text("features", "0", "properties", "countrycode") == "IT")
                #expect(answer.text("features", "0", "properties", "type") == "city")
                let sides = Self.items(answer["features", "0", "properties", "extent"]).compactMap(\.number)
                #expect(sides.count == 4 && sides[0] < sides[2] && sides[1] > sides[3])
            }
            let near = try await service.send("GET", "/photon/api?q=San+Giovanni&lat=40.7&lon=14.8&limit=1")
            let far = try await service.send("GET", "/photon/api?q=San+Giovanni&lat=45.6&lon=9.2&limit=1")
            #expect(near["features", "0", "geometry"] != far["features", "0", "geometry"])
            let boxed = try await service.send("GET", "/photon/api?q=Paris&bbox=-100,30,-80,40&limit=3")
            #expect(boxed.text("features", "0", "properties", "countrycode") == "US")
        }
    }

    @Test("Photon's layers and tags restrict the results")
    func photonFilters() async throws {
        let cases = [
            ("api?q=Salerno&layer=county", "county"), ("api?q=Salerno&layer=city&layer=county&limit=1", "city"),
            ("api?q=Salerno&layer=street", nil), ("api?q=Salerno&osm_tag=place:city", "city"),
            ("api?q=Salerno&osm_tag=!place:city", "county"), ("api?q=Salerno&osm_tag=tourism", nil),
            ("api?q=Salerno&osm_tag=place:!city", "county"),
            ("api?q=Salerno&osm_tag=!tourism&osm_tag=:county", "county"),
            ("reverse?\(Self.fisciano)&layer=state", "state"), ("reverse?\(Self.fisciano)&radius=0.001", nil),
            ("reverse?\(Self.fisciano)&radius=5", "city"), ("reverse?\(Self.fisciano)&osm_tag=amenity:cafe", nil),
        ]
        try await RunningService.with { service in
            for (query, type) in cases {
                let answer = try await service.send("GET", "/photon/\(query)")
                #expect(answer.status == 200)
                #expect(answer.text("features", "0", "properties", "type") == type, "\(query)")
            }
            let several = try await service.send("GET", "/photon/reverse?\(Self.fisciano)&limit=3")
            #expect(several.features.count == 3)
            #expect(several.text("features", "0", "properties", "name") == "Fisciano")
        }
    }

    @Test("Errors have the format of the imitated service, also for browsers")
    func refusals() async throws {
        let bad = [
            "reverse", "reverse?lat=40", "reverse?lat=nan&lon=1", "reverse?lat=91&lon=1", "reverse?lat=1&lon=1e9",
            "reverse?lat=1&lon=1&zoom=x", "reverse?lat=1&lon=1&format=xml", "reverse?lat=1&lon=1&json_callback=f",
            "search", "search?q=", "search?q=%20", "search?q=Roma&city=Roma", "search?q=Roma&limit=x",
            "search?q=Roma&viewbox=1,2,3", "search?q=Roma&viewbox=1,2,3,inf", "search?q=Roma&featureType=dog",
            "search?q=Roma&json_callback=f", "search?q=Roma&format=html",
        ]
        let worse = [
            "api", "api?q=", "api?q=Roma&lat=1", "api?q=Roma&lat=1&lon=x", "api?q=Roma&bbox=1,2,3",
            "api?q=Roma&layer=dog", "api?q=Roma&limit=x", "reverse", "reverse?lat=1", "reverse?lat=1&lon=181",
            "reverse?lat=1&lon=1&radius=-1", "reverse?lat=1&lon=1&radius=5001", "reverse?lat=1&lon=1&limit=x",
        ]
        try await RunningService.with { service in
            for query in bad {
                let answer = try await service.send(
                    "GET",
                    "/nominatim/\(query)",
                    headers: ["Accept": "text/html,application/xhtml+xml"]
                )
                #expect(answer.status == 400 && answer["error", "code"] == .number(400), "\(query)")
                #expect(answer.text("error", "message")?.isEmpty == false, "\(query)")
                #expect(answer.headers["x-request-id"] != nil)
            }
            for query in worse {
                let answer = try await service.send("GET", "/photon/\(query)")
                #expect(answer.status == 400 && answer.text("message")?.isEmpty == false, "\(query)")
                #expect(Self.keys(answer.json) == ["message"])
            }
        }
    }

    @Test("Hostile queries get an answer")
    func hostile() async throws {
        let texts = [
            "%00", "%ff%fe", "%F0%9F%90%95", "%22%7D%5D", "%3Cscript%3E", "'%20OR%201=1", "a%0Ab", "..%2F..%2Fetc",
            String(repeating: "a", count: 2_000), String(repeating: "a,", count: 500),
            String(repeating: "%CC%81", count: 1_000), String(repeating: "San%20", count: 500),
            "%D8%B1%D9%88%D9%85%D8%A7",
        ]
        try await RunningService.with { service in
            for text in texts {
                for path in ["/nominatim/search?q=", "/nominatim/search?city=", "/photon/api?q="] {
                    let answer = try await service.send("GET", path + text)
                    #expect([200, 400].contains(answer.status) && answer.json != .null, "\(path)\(text.prefix(20))")
                }
            }
            let many = (0..<200).map { "exclude_place_ids=\($0),\($0)" }.joined(separator: "&")
            #expect(try await service.send("GET", "/nominatim/search?q=Roma&\(many)").status < 500)
            for limit in ["-1", "0", "1e300", "-1e300", "99999999999999999999"] {
                #expect(try await service.send("GET", "/nominatim/search?q=Roma&limit=\(limit)").status == 200)
                #expect(try await service.send("GET", "/photon/reverse?lat=41.9&lon=12.5&limit=\(limit)").status == 200)
            }
            for (lat, lon) in [(90, 0), (-90, 0), (0, 180), (0, -180), (90, 180), (-90, -180)] {
                #expect(try await service.send("GET", "/nominatim/reverse?lat=\(lat)&lon=\(lon)").status == 200)
                #expect(try await service.send("GET", "/photon/reverse?lat=\(lat)&lon=\(lon)&limit=50").status == 200)
            }
        }
    }
}
