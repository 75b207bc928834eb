import Domain
import Foundation
import PlaceFiles
import TestSupport
import Testing

@Suite("GeoNames tables")
struct GeoNamesFileTests {
    private let files: Files

    init() throws {
        files = try Files()
    }

    static func settlement(
        _ name: String,
        _ lon: String,
        _ lat: String,
        people: Int = 0,
        country: String = "DE",
        names: String = "",
        kind: String = "P\tPPL"
    ) -> String {
        "1\t\(name)\t\(name)\t\(names)\t\(lat)\t\(lon)\t\(kind)\t\(country)\t\t\t\t\t\t\(people)\t\t\tEurope/Berlin\t2026-01-01"
    }

    static func code(_ code: String, _ name: String, _ lon: Double, _ lat: Double, country: String = "DE") -> String {
        "\(country)\t\(code)\t\(name)\tBayern\tBY\t\t\t\t\t\(lat)\t\(lon)\t4"
    }

    private func read(_ lines: [String]) throws -> [ImportedPlace] {
        let url = try files.write(lines.joined(separator: "\n") + "\n", "table.txt")
        var file = try GeoNamesFile(url, try PlaceFile(url))
        var result: [ImportedPlace] = []
        while case let places = try file.next(atMost: 2), !places.isEmpty { result += places }
        return result
    }

    @Test("Settlements are sorted by population; other features and abandoned places are skipped")
    func settlements() throws {
        let found = try read([
            Self.settlement("Small", "11.5", "48.1"),
            Self.settlement("Hill", "11.5", "48.1", kind: "T\tHLL"),
            Self.settlement("Ruin", "11.5", "48.1", kind: "P\tPPLQ"),
            Self.settlement("Large", "11.6", "48.2", people: 9000, names: "Gross,Grande"),
            Self.settlement("Middle", "11.6", "48.2", people: 300) + "\r",
        ])
        #expect(found.map(\.name) == ["Large", "Middle", "Small"])
        #expect(found.first?.otherNames == ["Large", "Gross", "Grande"])
        #expect(found.allSatisfy { $0.level == .settlement && $0.place.countryCode == "DE" })
    }

    @Test("Postal code tables are recognised by their columns")
    func postalCodes() throws {
        let found = try read([Self.code("80331", "München", 11.57, 48.13)])
        #expect(found.map(\.level) == [.postalCode])
        #expect(found.first?.place.postalCode == "80331")
    }

    @Test(
        "The error for a malformed line contains its number",
        arguments: [
            (settlement("Far", "191", "48"), "line 2"), (settlement("", "11", "48"), "line 2"),
            ("1\t2", "19 columns, got 2"),
            (settlement("No number", "east", "48"), "line 2"),
            (settlement("Land", "11", "48", country: "GER"), "line 2"),
        ]
    )
    func broken(line: String, says: String) throws {
        let error = #expect(throws: PlaceFileError.self) {
            try read([Self.settlement("Good", "11", "48"), line])
        }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }

    @Test("Control characters are removed from names, and the length of names is limited")
    func names() throws {
        let long = String(repeating: "x", count: 201)
        for line in [
            Self.settlement(long, "11", "48"), Self.code("80331", long, 11, 48), Self.code(long, "x", 11, 48),
        ] {
            let error = #expect(throws: PlaceFileError.self) { try read([line]) }
            #expect(error?.description.contains("line 1: expected at most 200 characters, got 201") == true)
        }
        let found = try read([Self.settlement("Bad\u{1b}[2J  Aibling ", "11", "48")])
        #expect(found.map(\.name) == ["Bad [2J Aibling"])
        #expect(throws: PlaceFileError.self) { try read([Self.settlement(" \u{7} ", "11", "48")]) }
    }

    @Test("Invalid UTF-8 and an endless line are errors")
    func bytes() throws {
        let url = files.folder.url.appending(path: "table.txt")
        let good = Data((Self.settlement("Good", "11", "48") + "\n").utf8)
        try (good + Data([0xFF, 0xFE, 0x0A])).write(to: url)
        #expect(throws: PlaceFileError.self) { try GeoNamesFile(url, .geoNames) }
        try (good + Data(repeating: 0x41, count: 3 << 20)).write(to: url)
        #expect(throws: PlaceFileError.self) { try GeoNamesFile(url, .geoNames) }
    }
}
