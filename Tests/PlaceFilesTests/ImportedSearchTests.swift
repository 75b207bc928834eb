import Domain
import Foundation
import Gazetteer
import Geodata
import PlaceFiles
import Storage
import TestSupport
import Testing

@Suite("Searches in imported places")
struct ImportedSearchTests {
    private let files: Files
    private let board: TestDatabase
    private let places: PlaceStore
    private let gazetteer: Gazetteer

    init() async throws {
        files = try Files()
        board = try await TestDatabase()
        places = PlaceStore(board.database)
        gazetteer = try Gazetteer(directory: Geodata.directory, imported: places)
    }

    private func search(_ text: String, near: Coordinate? = nil, limit: Int = 10) throws -> [Place] {
        try gazetteer.search(text, near: near, language: .italian, limit: limit)
    }

    private func first(_ text: String) throws -> Place {
        try #require(try search(text).first, "nothing for \(text)")
    }

    private func settlements(_ lines: [String], _ name: String) async throws {
        try await places.put(table: files.write(lines.joined(separator: "\n"), "\(name).txt"), name)
    }

    /// A square around a point.
    private func square(_ lon: Double, _ lat: Double, _ half: Double) -> String {
        let (west, east, south, north) = (lon - half, lon + half, lat - half, lat + half)
        return
            "[[[\(west), \(south)], [\(east), \(south)], [\(east), \(north)], [\(west), \(north)], [\(west), \(south)]]]"
    }

    @Test("Similar names of one source do not hide other sources, nor populous places the nearest one")
    func fairness() async throws {
        let villages = (100..<300).map { number in
            GeoNamesFileTests.settlement("Zwickdorf\(number)", "13.2", "52.9", people: 50)
        }
        try await settlements(villages, "villages")
        try await settlements([GeoNamesFileTests.settlement("Zwickdorfstadt", "8", "50", people: 90_000)], "towns")
        let named = #"{"NAME": "Zwickdorfkreis", "PEOPLE": "80000"}"#
        let hamlets = (0..<150).map { Files.feature(#"{"NAME": "Zwickdorf\#($0)hof"}"#, polygon: square(9, 49, 0.01)) }
        let features = (hamlets + [Files.feature(named, polygon: square(9, 51, 0.01))]).joined(separator: ",")
        try await places.put(
            files.write(#"{"features": [\#(features)]}"#),
            ["comune=NAME", "population=PEOPLE"],
            set: ["country_code=DE"],
            named: "areas"
        )
        #expect(try Set(search("zwickd", limit: 2).map(\.comune)) == ["Zwickdorfstadt", "Zwickdorfkreis"])
        let far = (0..<200).map { GeoNamesFileTests.settlement("Zwickdorf\($0)au", "20", "60", people: 5_000) }
        try await settlements(far + [GeoNamesFileTests.settlement("Zwickdorfheim", "11", "47", people: 2)], "far")
        let near = try search("zwickd", near: Coordinate(lon: 11, lat: 47), limit: 3)
        #expect(near.contains { $0.comune == "Zwickdorfheim" })
    }

    @Test(
        "Postal codes are found in any spelling, alone or after a name"
    )
    func postalCodes() async throws {
        let lines = [
            GeoNamesFileTests.code("SW1A 1AA", "London", -0.142, 51.501, country: "GB"),
            GeoNamesFileTests.code("K1A 0B1", "Ottawa", -75.7, 45.42, country: "CA"),
            GeoNamesFileTests.code("1012 AB", "Amsterdam", 4.9, 52.377, country: "NL"),
            GeoNamesFileTests.code("8001", "Zürich", 8.54, 47.37, country: "CH"),
            GeoNamesFileTests.code("00-950", "Warszawa", 21, 52.2, country: "PL"),
        ]
        try await settlements(lines, "codes")
        for (text, code) in [
            ("SW1A 1AA", "SW1A 1AA"), ("sw1a1aa", "SW1A 1AA"), ("sw1a", "SW1A 1AA"), ("K1A 0B1", "K1A 0B1"),
            ("k1a0b1", "K1A 0B1"), ("1012 AB", "1012 AB"), ("1012ab", "1012 AB"), ("1012a", "1012 AB"),
            ("8001", "8001"), ("00-950", "00-950"), ("00 950", "00-950"), ("00950", "00-950"),
            ("1012 AB Amsterdam", "1012 AB"), ("Amsterdam 1012AB", "1012 AB"), ("Amsterdam, 1012 AB", "1012 AB"),
            ("London SW1A 1AA", "SW1A 1AA"), ("Downing Street 10, SW1A 1AA London", "SW1A 1AA"),
        ] {
            #expect(try first(text).postalCode == code, "\(text)")
        }
        // Postal codes of Turin begin with the same digits.
        #expect(try search("1012", limit: 50).contains { $0.postalCode == "1012 AB" })
    }

    @Test("A number that is not a postal code does not prevent the name from being found")
    func houseNumbers() async throws {
        try await settlements([GeoNamesFileTests.code("8001", "Zürich", 8.54, 47.37, country: "CH")], "codes")
        #expect(try first("Via Roma 80, Fisciano").comuneCode == "D615")
        #expect(try first("Zürich 9999").comune == "Zürich")
        #expect(try first("84084").comuneCode == "D615")
    }

    @Test("The text after a comma can be the name or the code of an imported area")
    func areas() async throws {
        let canton = Files.feature(#"{"NAME": "Züribiet", "SIGN": "ZH"}"#, polygon: square(8.55, 47.37, 0.2))
        try await places.put(
            files.write(Files.collection(canton)),
            ["province=NAME", "province_code=SIGN"],
            set: ["country_code=CH"]
        )
        try await settlements(
            [
                GeoNamesFileTests.settlement("Kleinhofen", "8.6", "47.4", country: "CH"),
                GeoNamesFileTests.settlement("Kleinhofen", "7.4", "46.9", people: 900, country: "CH"),
            ],
            "settlements"
        )
        for text in ["Zurigo, ZH", "Zurich ZH", "zurich, züribiet", "Zürich (Züri)"] {
            #expect(try first(text).countryCode == "CH", "\(text)")
        }
        for text in ["Kleinhofen, ZH", "Kleinhofen ZH", "Kleinhofen Züribiet"] {
            let found = try search(text)
            #expect(found.count == 1 && found[0].coordinate.lon == 8.6, "\(text)")
        }
    }

    @Test("An area that the bundled tables contain appears once, wherever its inner point is")
    func duplicates() async throws {
        func put(_ level: String, _ properties: String, _ map: [String], _ polygon: String) async throws {
            try await places.put(
                files.write(Files.collection(Files.feature(properties, polygon: polygon)), "\(level).geojson"),
                map,
                set: ["country_code=IT"],
                named: level
            )
        }
        // The inner points are at least 20 km from the bundled ones, but the areas contain those.
        let wide = square(14.95, 40.95, 0.35)
        try await put("region", #"{"NAME": "Campania"}"#, ["region=NAME"], wide)
        try await put("province", #"{"NAME": "SALERNO", "SIGN": "SA"}"#, ["province=NAME", "province_code=SIGN"], wide)
        try await put(
            "comune",
            #"{"NAME": "Fisciano", "SIGN": "SA", "CODE": "065052"}"#,
            ["comune=NAME", "comune_code=CODE", "province_code=SIGN"],
            wide
        )
        let south = square(10.9, 47, 0.3)
        try await put("german", #"{"NAME": "Bozen - Bolzano"}"#, ["province=NAME"], square(11.3, 46.5, 0.3))
        try await put("other", #"{"NAME": "Fisciano", "SIGN": "BZ"}"#, ["comune=NAME", "province_code=SIGN"], south)
        let regions = try search("Campania").filter {
            $0.region == "Campania" && $0.province == nil && $0.comune == nil
        }
        #expect(regions.count == 1)
        let provinces = try search("Salerno").filter { $0.comune == nil && $0.provinceCode == "SA" }
        #expect(provinces.map(\.province) == ["Salerno"])
        let comuni = try search("Fisciano").filter { $0.comune == "Fisciano" && $0.locality == nil }
        #expect(comuni.map(\.comuneCode).sorted { ($0 ?? "") < ($1 ?? "") } == [nil, "D615"])
        #expect(
            try search("Bolzano").filter { $0.comune == nil && $0.region == "Trentino-Alto Adige/Südtirol" }.count <= 1
        )
    }

    @Test("Any text is safe, and during an import results come from complete sources")
    func hostile() async throws {
        try await settlements([GeoNamesFileTests.settlement("Zwickdorf", "8", "50")], "towns")
        for text in [
            "\0", "8\0", "1' OR 1", "8001\"]", "[\"8\"]", "\u{10FFFF}1", "12345678901234567890", "1 1 1 1 1 1 1 1",
            "٣٤٥",
            "8️⃣0️⃣", String(repeating: "9", count: 10_000), String(repeating: "a1 ", count: 4_000), "กรุงเทพ 10100",
            "\u{202E}1008", "Zwick*", "Zwick, \"", "x, 👩‍👩‍👧", "z" + String(repeating: "\u{301}", count: 9_000),
        ] {
            #expect(try search(text, near: Coordinate(lon: 8, lat: 50)).count <= 10)
        }
        var calls = 0
        let point = try #require(Coordinate(lon: 9, lat: 50))
        _ = try await places.put("slow", .settlements) {
            calls += 1
            let early = try search("Zwickel")
            #expect(early.allSatisfy { $0.comune != "Zwickelburg" })
            let found = ImportedPlace(level: .settlement, name: "Zwickelburg", place: Place(coordinate: point))
            return calls < 4 ? Array(repeating: PlaceStore.Entry(found), count: 3_000) : []
        }
        #expect(try first("Zwickel").comune == "Zwickelburg")
    }
}
