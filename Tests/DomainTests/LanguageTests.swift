import Foundation
import Testing

@testable import Domain

@Suite("Languages")
struct LanguageTests {
    private static let table = Result {
        try Breeds(
            tsv: Data(
                contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                    path: "../../geodata/breeds.tsv")))
    }

    @Test("Each folder is a language, English first")
    func folders() {
        #expect(Language.allCases.first == .english)
        #expect(Language.allCases.map(\.code) == ["en", "it", "de", "fr", "es", "pt"])
        #expect(Set(Language.allCases.map(\.properties.name)).count == Language.allCases.count)
        #expect(Language(rawValue: "de")?.properties.locale == "de_DE")
        #expect(Language(rawValue: "xx") == nil && Language(rawValue: "../en") == nil && Language(rawValue: "") == nil)
    }

    @Test("All languages have a name for each breed, of which none is that of another breed")
    func breeds() throws {
        let breeds = try Self.table.get()
        for breed in breeds.all {
            #expect(breed.names.count == Language.allCases.count, "\(breed.key)")
            for name in breed.names { #expect(breeds.breed(named: name) == breed, "\(name)") }
        }
    }

    @Test("Rows of tables of words have keys that are known")
    func keys() throws {
        let breeds = try Self.table.get()
        let colours = Set(ColourReader().names)
        for (language, table) in Language.tables("colours") {
            for row in table.rows where row[0] != "none" {
                let keys = row[0].split { " /".contains($0) }.map(String.init)
                #expect(colours.isSuperset(of: keys), "\(language.code): \(row[0])")
            }
        }
        for (language, table) in Language.tables("breed-names") {
            for row in table.rows {
                for key in row[1].split(separator: " ") {
                    #expect(breeds.breed(key: String(key)) != nil, "\(language.code): \(row[0]): \(key)")
                }
            }
        }
        let names = Set(
            Language.tables("synonyms").filter { $0.language == .italian }.flatMap { $0.table.rows.map { $0[0] } })
        for (language, table) in Language.tables("synonyms") {
            #expect(names.isSuperset(of: table.rows.map { $0[0] }), "\(language.code)")
        }
    }

    @Test("Words are folded, as they are compared")
    func folding() {
        let lists = [
            "search-words": 2, "requests": 1, "colours": 1, "dates": 2, "whereabouts": 1, "synonyms": 1,
            "import-columns": 2, "import-values": 2, "places": 2, "plain-words": 1,
        ]
        for (name, column) in lists {
            for (language, table) in Language.tables(name) {
                for row in table.rows where row[0] != "distance" {
                    for phrase in row[column].split(separator: "|") {
                        let phrase = phrase.hasPrefix("=") ? phrase.dropFirst() : phrase
                        #expect(
                            String(phrase) == phrase.folded || phrase.contains("°"),
                            "\(language.code) \(name): \(phrase)")
                    }
                }
            }
        }
    }

    @Test("Most colours and breeds are read as people of each country write them", arguments: ["de", "fr", "es", "pt"])
    func pairs(code: String) throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pairs/\(code).tsv")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t").map(String.init) }
        let (colours, breeds) = (ColourReader(), try Self.table.get())
        let known = Set(colours.names)
        var wrong: [String] = []
        for row in rows {
            let keys = Set(row[1].split(separator: " ").map(String.init))
            let isColour = known.isSuperset(of: keys)
            let read = isColour ? colours.names(in: row[0]) : Self.breeds(in: row[0], breeds)
            if read != keys { wrong.append("\(row[0]): \(read.sorted()), not \(keys.sorted())") }
        }
        #expect(rows.count >= 40)
        #expect(Double(wrong.count) <= 0.05 * Double(rows.count), "\(wrong.joined(separator: "\n"))")
    }

    private static func breeds(in text: String, _ breeds: Breeds) -> Set<String> {
        let reading = breeds.reader.read(text)
        return Set(reading.breeds.map { breeds.reader.keys[Int($0)] } + (reading.isMixed ? [Breed.mixedKey] : []))
    }
}
