import Domain
import Foundation
import Geodata
import Testing

@testable import Gazetteer

@Suite("Search by name")
struct NameSearchTests {
    private let gazetteer: Gazetteer

    init() throws {
        gazetteer = try Gazetteer(directory: Geodata.directory)
    }

    private func first(_ text: String, _ language: Language = .italian) throws -> Place {
        try #require(try gazetteer.search(text, language: language, limit: 5).first, "nothing for \(text)")
    }

    @Test(
        "A comune is found in every common spelling",
        arguments: [
            ("Fisciano", "D615"), ("fisciano", "D615"), ("FISCIA", "D615"), ("Fisciano, SA", "D615"),
            ("Fisciano (SA)", "D615"),
            ("Fisciano (Salerno)", "D615"), ("Fisciano Salerno", "D615"), ("Fisciano, Campania, Italia", "D615"),
            ("Via Roma 3, 84084 Fisciano", "D615"), ("comune di Fisciano", "D615"), ("84084", "D615"),
            ("Reggio nell'Emilia", "H223"), ("Reggio Emilia", "H223"), ("reggio nell emilia", "H223"),
            ("Milan", "F205"),
            ("Mailand", "F205"), ("Florence", "D612"), ("Firense", "D612"), ("Bozen", "A952"),
            ("Bolzano/Bozen", "A952"),
            ("Forli", "D704"), ("Castelamare di Stabbia", "C129"), ("San Giovani Rotndo", "H926"),
            ("S. Giovanni Rotondo", "H926"),
            ("Firenze, Tuscany", "D612"), ("Milano, Lombardy", "F205"), ("Bolzano, Alto Adige", "A952"),
            ("Bolzano, South Tyrol", "A952"), ("Lancusi, SA", "D615"), ("Via Garibaldi 3, Fisci", "D615"),
            ("L'Aquila", "A345"), ("l’aquila", "A345"), ("Cantù", "B639"), ("Cantu", "B639"), ("Rome", "H501"),
        ]
    )
    func spellings(text: String, code: String) throws {
        #expect(try first(text).comuneCode == code)
    }

    @Test("Misspelt names are searched for in texts of at most six words, because each word is compared with all names")
    func longTexts() throws {
        let long = "Fiscianno, a b c d e"
        #expect(try gazetteer.search(long, language: .italian).first?.comune == "Fisciano")
        #expect(try gazetteer.search(long + " f", language: .italian).isEmpty)
        #expect(try gazetteer.search("Fisciano, a b c d e f", language: .italian).first?.comune == "Fisciano")
    }

    @Test("A hamlet is found with its comune, even if only the postal list contains it")
    func hamlets() throws {
        let lancusi = try gazetteer.search("Lancusi", language: .italian)
        #expect(lancusi.allSatisfy { $0.comune == "Fisciano" && $0.postalCode == "84084" })
        #expect(lancusi.contains { $0.locality == "Lancusi" })
        #expect(try first("Lancusi, Fisciano").comune == "Fisciano")
    }

    @Test("San Giovanni can be abbreviated")
    func abbreviation() throws {
        let found = try gazetteer.search("S. Giovanni", language: .italian, limit: 5)
        #expect(found.count == 5)
        #expect(found.allSatisfy { ($0.locality ?? $0.comune ?? "").folded.contains("san giovanni") })
    }

    @Test("A place after a comma narrows the search")
    func qualifier() throws {
        #expect(try first("San Giovanni, SA").provinceCode == "SA")
        #expect(try first("Castro, BG").comuneCode == "C337")
        #expect(try first("Castro, Lecce").provinceCode == "LE")
        #expect(try first("Springfield, Illinois").region == "Illinois")
        #expect(try first("Monaco, Germania").countryCode == "DE")
    }

    @Test("An unknown area after a comma does not hide the place before it")
    func unknownQualifier() throws {
        #expect(try first("Springfield, IL").comune == "Springfield")
        #expect(try first("Munich, Bayern").comune == "Munich")
        #expect(try first("Zurich, ZH").countryCode == "CH")
    }

    @Test("Provinces, regions and countries are found")
    func areas() throws {
        let campania = try first("Campania")
        #expect(campania.region == "Campania" && campania.province == nil && campania.comune == nil)
        let province = try first("provincia di Salerno")
        #expect(province.provinceCode == "SA" && province.comune == nil)
        let tuscany = try first("Tuscany", .english)
        #expect(tuscany.region == "Toscana" && tuscany.comune == nil)
        let germany = try first("Germania")
        #expect(germany.countryCode == "DE" && germany.region == nil)
    }

    @Test(
        "Cities of the world are found by their Italian and native names",
        arguments: [
            ("Munich", "DE"), ("Monaco di Baviera", "DE"), ("München", "DE"), ("Parigi", "FR"), ("Londra", "GB"),
            ("New York", "US"), ("Zurigo", "CH"), ("Lubiana", "SI"), ("København", "DK"), ("Łódź", "PL"),
        ]
    )
    func worldCities(text: String, code: String) throws {
        let place = try first(text)
        #expect(place.countryCode == code)
        #expect(place.comune != nil)
    }

    @Test("Nearer places rank higher and have a distance")
    func distance() throws {
        let bergamo = try #require(Coordinate(lon: 9.67, lat: 45.69))
        let lecce = try #require(Coordinate(lon: 18.17, lat: 40.35))
        let north = try #require(try gazetteer.search("Castro", near: bergamo, language: .italian).first)
        let south = try #require(try gazetteer.search("Castro", near: lecce, language: .italian).first)
        #expect(north.provinceCode == "BG")
        #expect(south.provinceCode == "LE")
        #expect(try #require(north.distance) < 50_000)
    }

    @Test("Italian places rank first for Italian speakers")
    func language() throws {
        #expect(try first("Roma").countryCode == "IT")
        #expect(try first("Venezia").comuneCode == "L736")
    }

    @Test("Incomplete postal codes are found, and other numbers find nothing")
    func postalCodes() throws {
        #expect(try gazetteer.search("840", language: .italian).allSatisfy { $0.provinceCode == "SA" })
        #expect(try gazetteer.search("99999", language: .italian).isEmpty)
        #expect(try gazetteer.search("123456789012345678901234567890", language: .italian).isEmpty)
    }

    @Test(
        "Hostile text is harmless",
        arguments: [
            "", " ", "\0", "\0\0Fisciano\0", "🐕🐕🐕", ",,,,", "((((", "%", "'; DROP TABLE place; --", "\u{202E}onaicsiF",
            String(repeating: "a", count: 100_000), String(repeating: "san ", count: 10_000),
            String(repeating: ",", count: 9_999),
            "e\u{301}" + String(repeating: "\u{301}", count: 50_000), String(repeating: "👨‍👩‍👧‍👦", count: 5_000), "İıßŁø",
            "中文",
            "-1", "٣٤",
        ]
    )
    func hostileText(text: String) throws {
        for limit in [Int.min, 0, 1, Int.max] {
            let found = try gazetteer.search(text, language: .english, limit: limit)
            #expect(found.count <= max(0, min(limit, 100)))
        }
    }

    @Test("The search returns as many results as requested, without duplicates")
    func limit() throws {
        for limit in [1, 5, 50] {
            let found = try gazetteer.search("Castel", language: .italian, limit: limit)
            #expect(found.count == limit)
            #expect(Set(found).count == limit)
        }
    }

    @Test("Words of names are normalised as in the build program")
    func buildProgram() {
        var missing: [String] = []
        for place in stride(from: 0, to: gazetteer.places.records.count, by: 7) {
            let name = gazetteer.places.name(place)
            for word in SearchQuery.words(name).prefix(15) where gazetteer.names.exact(word).isEmpty {
                missing.append(name)
            }
        }
        #expect(missing.count < 5, "\(missing.prefix(20))")
    }

    @Test(
        "The index skips no misspelt word",
        arguments: [("salerno", 1), ("castelmare", 2), ("roma", 1), ("montecatino", 2), ("zaz", 0)]
    )
    func misspeltWords(word: String, limit: Int) {
        let comuni = gazetteer.places.range(.comune)
        let words = Set(comuni.flatMap { SearchQuery.words(gazetteer.places.name($0)) })
        // An edit changes the length by at most one.
        let distances = words.filter { abs($0.utf8.count - word.utf8.count) <= limit }
            .map { ($0, Self.distance(Array(word.utf8), Array($0.utf8))) }
        for sameLetter in [false, true] {
            let near = gazetteer.names.misspelt(word, asPrefix: false, sameLetter: sameLetter)
            let found = Set(near.map(\.postings.lowerBound))
            // Words with another first letter are limited to one edit.
            let limit = sameLetter ? limit : min(1, limit)
            for (other, distance) in distances where limit > 0 && distance <= limit {
                let isWanted = !sameLetter || other.first == word.first
                for word in gazetteer.names.exact(other) {
                    #expect(found.contains(word.postings.lowerBound) == isWanted, "\(other)")
                }
            }
            #expect(found.isEmpty == (limit == 0))
        }
    }

    /// The edit distance by its definition, with the whole table.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var table = (0...a.count).map { row in (0...b.count).map { row == 0 ? $0 : $0 == 0 ? row : 0 } }
        for row in stride(from: 1, through: a.count, by: 1) {
            for column in stride(from: 1, through: b.count, by: 1) {
                let cost = a[row - 1] == b[column - 1] ? 0 : 1
                var best = min(
                    table[row - 1][column - 1] + cost,
                    table[row - 1][column] + 1,
                    table[row][column - 1] + 1
                )
                if row > 1, column > 1, a[row - 1] == b[column - 2], a[row - 2] == b[column - 1] {
                    best = min(best, table[row - 2][column - 2] + 1)
                }
                table[row][column] = best
            }
        }
        return table[a.count][b.count]
    }

    @Test(
        "Edit distances follow the definition",
        arguments: [
            ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("firenze", "fierenze", 1), ("ab", "ba", 1), ("a", "", 1),
        ]
    )
    func editDistance(word: String, other: String, expected: Int) {
        var distance = EditDistance(Array(word.utf8), limit: 9)
        let skipped = Array(other.utf8).withUnsafeBytes { distance.advance(to: $0, shared: 0) }
        #expect(skipped == nil)
        #expect(distance.distance == expected)
    }
}
