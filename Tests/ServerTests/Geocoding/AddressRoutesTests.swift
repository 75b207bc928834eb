import Domain
import Foundation
import MapDatabase
import ServerSupport
import TestSupport
import Testing

@Suite("Streets and houses over HTTP")
struct AddressRoutesTests {
    @Test("Places are streets, houses and landmarks, and towns where only they are meant")
    func places() async throws {
        try await FiscianoMap.with { service in
            let house = try await service.send("GET", "/v1/places?q=via%20Roma%2012,%20Fisciano%20(SA)&lang=it")
            let properties = try #require(house["features", "0", "properties"])
            #expect(properties["street"] == .string("Via Roma") && properties["house_number"] == .string("12"))
            #expect(properties["precision"] == .string("house") && properties["comune"] == .string("Fisciano"))
            #expect(properties["lon"] == .number(FiscianoMap.lon) && properties["postal_code"] == .string("84084"))
            let unknown = try await service.send("GET", "/v1/places?q=via%20Roma%2019%20Fisciano")
            #expect(unknown.text("features", "0", "properties", "precision") == "nearest_house")
            #expect(unknown.text("features", "0", "properties", "house_number") == "20")
            let landmark = try await service.send("GET", "/v1/places?q=ospedale%20ruggi")
            #expect(landmark.text("features", "0", "properties", "landmark") == "Ospedale Ruggi")
            let town = try await service.send("GET", "/v1/places?q=Fisciano")
            #expect(town.text("features", "0", "properties", "comune") == "Fisciano")
            #expect(town["features", "0", "properties", "street"] == nil)
        }
    }

    @Test("A point has its house within 50 m, otherwise its street, otherwise only its town")
    func reverse() async throws {
        try await FiscianoMap.with { service in
            let house = try await service.send("GET", "/v1/places/reverse?lon=14.7906&lat=40.7702&lang=it")
            #expect(house.text("street") == "Via Roma" && house.text("house_number") == "12")
            #expect(house["lon"] == .number(FiscianoMap.lon) && house.text("comune") == "Fisciano")
            let street = try await service.send("GET", "/v1/places/reverse?lon=14.7892&lat=40.7701")
            #expect(street.text("street") == "Via Roma" && street.text("precision") == "street")
            let town = try await service.send("GET", "/v1/places/reverse?lon=14.78&lat=40.765")
            #expect(town["street"] == nil && town.text("comune") == "Fisciano")
        }
    }

    @Test("Clients of Nominatim and Photon get addresses in their shapes")
    func geocoders() async throws {
        try await FiscianoMap.with { service in
            for query in ["q=Via%20Roma%2012,%20Fisciano", "street=12%20Via%20Roma&city=Fisciano"] {
                let found = try await service.send("GET", "/nominatim/search?\(query)&format=jsonv2&addressdetails=1")
                #expect(found.text("0", "address", "road") == "Via Roma")
                #expect(found.text("0", "address", "house_number") == "12")
                #expect(found.text("0", "display_name")?.hasPrefix("12, Via Roma, ") == true)
                #expect(found.text("0", "category") == "place" && found.text("0", "type") == "house")
                #expect(found.text("0", "licence")?.contains("OpenStreetMap") == true)
            }
            let point = "lat=40.7702&lon=14.7906"
            let near = try await service.send("GET", "/nominatim/reverse?\(point)&format=jsonv2")
            #expect(near.text("address", "house_number") == "12")
            let coarse = try await service.send("GET", "/nominatim/reverse?\(point)&format=jsonv2&zoom=10")
            #expect(coarse["address", "road"] == nil)
            let photon = try await service.send("GET", "/photon/api?q=via%20roma%2012%20fisciano&limit=1")
            #expect(photon.text("features", "0", "properties", "street") == "Via Roma")
            #expect(photon.text("features", "0", "properties", "housenumber") == "12")
            #expect(photon.text("features", "0", "properties", "type") == "house")
            let reverse = try await service.send("GET", "/photon/reverse?\(point)")
            #expect(reverse.text("features", "0", "properties", "housenumber") == "12")
            let towns = try await service.send("GET", "/photon/api?q=via%20roma%2012%20fisciano&layer=city")
            #expect(towns["features", "0", "properties", "housenumber"] == nil)
            let streets = try await service.send("GET", "/photon/api?q=fisciano&layer=street")
            #expect(streets["features", "0"] == nil)
        }
    }

    @Test(
        "Streets, houses and landmarks are suggested where they are asked for",
        arguments: [
            ("via rom", ["Via Roma, Fisciano"]), ("via roma 12", ["Via Roma 12, Fisciano"]),
            ("osped", ["Ospedale Ruggi, Fisciano"]), ("ruggi", ["Ospedale Ruggi, Fisciano"]), ("gatto ro", []),
            ("cane", []),
        ]
    )
    func suggestions(text: String, addresses: [String]) async throws {
        try await FiscianoMap.with { service in
            let query = try #require(text.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let path = "/v1/search/suggestions?lang=it&q=\(query)"
            let found = try await service.send("GET", path + "&addresses=true&lon=14.79&lat=40.77")
            let texts = (0..<8).compactMap { found.text("suggestions", String($0), "q") }
            #expect(texts.filter { $0.hasSuffix(", Fisciano") } == addresses)
            #expect(Array(texts.prefix(addresses.count)) == addresses)
            let without = try await service.send("GET", path)
            #expect(!String(decoding: without.body, as: UTF8.self).contains(", Fisciano"))
        }
    }

    @Test("A suggestion of addresses needs a known value and a whole point")
    func refusedSuggestions() async throws {
        try await FiscianoMap.with { service in
            for (query, field) in [("addresses=yes", "addresses"), ("addresses=true&lon=14", "lat")] {
                let refused = try await service.send("GET", "/v1/search/suggestions?q=via&\(query)")
                #expect(refused.status == 400 && refused.text("field") == field, "\(query)")
            }
        }
    }

    @Test("A listing with a street and no point has the house's position for its owner, and a cell for others")
    func listing() async throws {
        try await FiscianoMap.with { service in
            let token = try await service.guest()
            let body = #"{"status": "lost", "species": "dog", "name": "Argo", "place": "Via Roma 12, Fisciano"}"#
            let id = try await service.post(body, token)
            let own = try await service.send("GET", "/v1/listings/\(id)", token: token)
            #expect(own["geometry", "coordinates"] == .array([.number(FiscianoMap.lon), .number(FiscianoMap.lat)]))
            #expect(own.text("properties", "location_precision") == "approximate")
            let shown = try await service.send("GET", "/v1/listings/\(id)")
            #expect(shown["geometry", "coordinates"] != own["geometry", "coordinates"])
            #expect(shown.text("properties", "place") == "Fisciano")
        }
    }

    @Test("Tiles show the streets, their address changes with the extract, and OpenStreetMap is named")
    func tiles() async throws {
        try await FiscianoMap.with { service in
            let settings = try await service.send("GET", "/map/settings", headers: ["Accept-Language": "it"])
            #expect(settings.text("outlines")?.contains("OpenStreetMap") == true)
            let before = settings.text("basemap")
            let tile = "/basemap/15/17730/12313.png"
            let picture = try await service.send("GET", tile)
            try FileManager.default.removeItem(
                at: service.board.folder.url.appending(path: "\(MapFolder.name)/fisciano.sqlite")
            )
            for _ in 0..<200 where try await service.send("GET", "/map/settings").text("basemap") == before {
                try await Task.sleep(for: .milliseconds(100))
            }
            #expect(try await service.send("GET", tile).body != picture.body)
            let without = try await service.send("GET", "/map/settings", headers: ["Accept-Language": "it"])
            #expect(without.text("outlines")?.contains("OpenStreetMap") == false)
        }
    }
}
