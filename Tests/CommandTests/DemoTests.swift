import CSV
import Domain
import Foundation
import MapDatabase
import Matching
import Photos
import Storage
import TestSupport
import Testing

@Suite("Demo")
struct DemoTests {
    private static func rows(_ program: Program) throws -> [CSVRow] {
        var reader = try CSVReader(Data(try program.run("listings", "export", "--format", "csv").output.utf8))
        var rows: [CSVRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    @Test("A demo ends now, and its open listings have not expired")
    func dates() throws {
        let program = try Program()
        #expect(try program.run("demo", "--count", "300", "--seed", "7").output.hasPrefix("300 listings added\n"))
        let rows = try Self.rows(program)
        #expect(rows.count == 300)
        let open = rows.filter { ["lost", "found", "sighted"].contains($0["status"]) }
        #expect(open.count > 150 && rows.contains { $0["status"] == "reunited" })
        let now = Timestamp.now
        for row in open {
            let created = Timestamp(stored: row["created_at"] ?? "")
            #expect(created > now.adding(seconds: -86 * 86_400) && created <= now)
            #expect(Timestamp(stored: row["last_seen_at"] ?? "") <= created)
        }
        #expect(rows.contains { Timestamp(stored: $0["created_at"] ?? "") > now.adding(seconds: -5 * 86_400) })
        #expect(try program.run("check").status == 0)
        let database = try DatabaseFile(directory: program.folder.url)
        let reader = MatchReader(breeds: try Bundled.breeds())
        let ways = try MatchStore(database, reader).reunions(of: .dog, atLeast: 1)
        #expect(ways.count > 5)
    }

    @Test("The same seed makes the same listings at other times, and another seed makes others")
    func seeds() throws {
        func names(_ seed: String) throws -> [[String?]] {
            let program = try Program()
            #expect(try program.run("demo", "--count", "50", "--seed", seed).status == 0)
            let fields = [
                "id", "status", "name", "breed", "colour", "lon", "lat", "description", "collar", "whereabouts",
            ]
            return try Self.rows(program).map { row in fields.map { row[$0] } }
        }
        let first = try names("1")
        #expect(try names("1") == first)
        #expect(try names("2") != first)
    }

    @Test(
        "Listings and help of a demo are in the country that is named, in its language or in English",
        arguments: [
            ("FR", ["Luna", "Filou"], "(inventé"), ("AT", ["Bärli", "Flocke"], "(erfunden)"),
            ("BR", ["Pipoca", "Floco"], "(inventad"),
            ("US", ["Scout", "Bailey"], "(invented)"), ("JP", ["Scout", "Bailey"], "(invented)"),
        ])
    func countries(code: String, names: [String], mark: String) async throws {
        let program = try Program()
        let output = try program.run("demo", "--country", code.lowercased(), "--count", "200").output
        #expect(output.hasPrefix("200 listings added\n") && !output.contains("Valletta"))
        let rows = try Self.rows(program)
        let gazetteer = try Bundled.gazetteer()
        let inside = try rows.filter { row in
            let point = try #require(Coordinate(lon: Double(row["lon"] ?? "") ?? 0, lat: Double(row["lat"] ?? "") ?? 0))
            return try gazetteer.place(at: point, language: .english)?.countryCode == code
        }
        #expect(rows.count == 200 && inside.count >= 194, "\(inside.count)")
        for name in names { #expect(rows.contains { $0["name"] == name }, "\(name)") }
        let database = try DatabaseFile(directory: program.folder.url)
        #expect(try PhotoStore(database).ids().count > 50)
        var query = PointOfInterestStore.Query()
        query.limit = 50
        let help = try await PointOfInterestStore(database).findPointsOfInterest(query).map(\.poi)
        #expect(!help.isEmpty && help.allSatisfy { $0.name?.contains(mark) == true })
        #expect(help.compactMap(\.phone).allSatisfy { $0.hasPrefix("+") })
        #expect(try program.run("check").status == 0)
    }

    @Test("A country without towns is refused before anything is written")
    func unknownCountry() throws {
        let program = try Program()
        let data = program.folder.url.appending(path: "data")
        let refused = try program.run(["demo", "--country", "XX"], data: data)
        #expect(
            refused.status != 0 && refused.errors.contains("country: expected an ISO 3166 code"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: data.path))
    }

    @Test("Listings have pictures, and the admin of a demo has conversations, reports and points of interest")
    func scene() async throws {
        let program = try Program()
        let output = try program.run("demo", "--count", "40").output
        let password = try #require(output.firstMatch(of: /demo@example.org, an admin, with the password (\S{43})\n/)).1
        #expect(!password.hasPrefix("-"))
        let database = try DatabaseFile(directory: program.folder.url)
        let folder = PhotoFolder(data: program.folder.url)
        let photos = try PhotoStore(database).ids()
        #expect(photos.count > 10 && photos.allSatisfy { folder.missing($0).isEmpty })
        let pictures = Set(try photos.map { try Data(contentsOf: folder.url($0, side: 320)) })
        #expect(pictures.count > 5)
        let open = try program.run("listings", "list", "--json", "--status", "lost,found,sighted").output
        #expect(open.split(separator: "\n").allSatisfy { $0.contains("-320.jpg") })
        #expect(try program.run("moderation", "queue", "--json").output.split(separator: "\n").count == 3)
        #expect(try program.run("pois", "count").output.contains("veterinary"))
        let admin = try #require(try await AccountStore(database).findAccount(email: "demo@example.org"))
        #expect(try ConversationStore(database).countUnread(of: admin) > 0)
        #expect(try program.run("check").status == 0)
        // A second demo adds listings, but no second admin.
        let again = try program.run("demo", "--count", "40", "--seed", "2")
        #expect(again.status == 0 && again.output.hasPrefix("40 listings added\n"))
        #expect(!again.output.contains("admin"))
        #expect(try program.run("moderation", "queue", "--json").output.split(separator: "\n").count == 3)
    }

    @Test("A demo has the streets and addresses of Valletta, and listings there, until its map is removed")
    func town() throws {
        let program = try Program()
        let output = try program.run("demo", "--count", "40").output
        #expect(output.contains("/map?lon=14.5125&lat=35.8985&zoom=16"))
        #expect(try program.run("osm", "list").output == "demo\n")
        let folder = MapFolder(program.folder.url.appending(path: MapFolder.name))
        let middle = try #require(Coordinate(lon: 14.5125, lat: 35.8985))
        let map = try #require(folder.maps.first)
        let streets = try map.shapes(in: BoundingBox(around: middle, reach: 0.001), zoom: 16).filter {
            $0.kind == .street
        }
        #expect(streets.contains { $0.name == "Triq ir-Repubblika" })
        #expect(try !map.coast(in: BoundingBox(around: middle, reach: 0.01), zoom: 16).isEmpty)
        let house = try MapAddresses(folder).addresses(called: "Triq il-Merkanti 174, Valletta", near: nil, limit: 1)
        #expect(house.first?.address.precision == .house && house.first?.town == "Valletta")

        let rows = try Self.rows(program).filter { row in
            guard let lon = Double(row["lon"] ?? ""), let lat = Double(row["lat"] ?? "") else { return false }
            return Coordinate(lon: lon, lat: lat).map { $0.distance(to: middle) < 3_000 } ?? false
        }
        #expect(rows.count == 10 && Set(rows.map { $0["status"] }).count > 2)
        #expect(rows.allSatisfy { $0["whereabouts"]?.isEmpty == false })
        let old = Timestamp.now.adding(seconds: -61 * 86_400)
        #expect(rows.allSatisfy { Timestamp(stored: $0["created_at"] ?? "") > old })

        #expect(try program.run("osm", "remove", "demo").status == 0)
        #expect(try program.run("osm", "list").output.isEmpty)
        #expect(try program.run("demo", "--count", "2", "--seed", "2").status == 0)
        #expect(try program.run("osm", "list").output == "demo\n")
    }

    @Test("Vets, shops and shelters are invented, have numbers that nobody has, and one is always open")
    func help() async throws {
        let program = try Program()
        #expect(try program.run("demo", "--count", "2").status == 0)
        let store = PointOfInterestStore(try DatabaseFile(directory: program.folder.url))
        for (lon, lat) in [(14.5125, 35.8985), (12.48, 41.89)] {
            var query = PointOfInterestStore.Query()
            query.centre = Coordinate(lon: lon, lat: lat)
            query.radius = 30_000
            query.categories = [.veterinary, .petShop, .animalShelter]
            let found = try await store.findPointsOfInterest(query).map(\.poi)
            #expect(Set(found.map(\.category)).count == 3)
            #expect(found.contains { $0.openingHours == "24/7" })
            #expect(found.allSatisfy { $0.name?.contains("(inventat") == true && $0.openingHours != nil })
            #expect(found.allSatisfy { $0.phone?.contains("0000 000") == true })
        }
        // Another demo adds no others.
        let count = try await store.count(source: "invented")
        #expect(try program.run("demo", "--count", "2", "--seed", "2").status == 0)
        #expect(try await store.count(source: "invented") == count)
    }

    @Test("A folder without the extract is refused before anything is written")
    func missingExtract() throws {
        let program = try Program()
        let (geodata, data) = (try TemporaryFolder(), program.folder.url.appending(path: "data"))
        for name in ["gazetteer.bin", "points.bin", "sea.bin", "breeds.tsv"] {
            let target = Repository.root.appending(path: "geodata").appending(path: name)
            try FileManager.default.createSymbolicLink(
                at: geodata.url.appending(path: name),
                withDestinationURL: target
            )
        }
        let refused = try program.run(["demo", "--geodata", geodata.url.path], data: data)
        #expect(refused.status != 0 && refused.errors.contains("valletta.osm.pbf cannot be read"), "\(refused.errors)")
        #expect(!FileManager.default.fileExists(atPath: data.path))
    }

    @Test("In a folder with accounts, a demo adds listings with pictures and a map, and nothing else")
    func folderWithAccounts() async throws {
        let program = try Program()
        #expect(try program.run("accounts", "add", "anna@example.org", "--admin").status == 0)
        let outcome = try program.run("demo", "--count", "40")
        #expect(outcome.status == 0 && outcome.output.hasPrefix("40 listings added\nthe map of Valletta"))
        #expect(try program.run("accounts", "list", "--role", "admin").output.contains("anna@example.org"))
        #expect(try !program.run("accounts", "list", "--json").output.contains("demo@example.org"))
        #expect(try program.run("moderation", "queue", "--json").output.isEmpty)
        let database = try DatabaseFile(directory: program.folder.url)
        #expect(try await PointOfInterestStore(database).counts().isEmpty)
    }
}
