import Domain
import Geodata
import Testing

@testable import Gazetteer

@Suite("Names of places in the languages of readers")
struct LanguageNamesTests {
    private let gazetteer: Gazetteer

    init() throws {
        gazetteer = try Gazetteer(directory: Geodata.directory)
    }

    private func first(_ text: String, _ code: String) throws -> Place? {
        try gazetteer.search(text, language: try #require(Language(rawValue: code))).first
    }

    @Test("Each row of the tables means a place by its own name, and none means what another row means")
    func rows() throws {
        let tables: [(name: String, columns: Int, places: (ArraySlice<Substring>) -> [Int])] = [
            ("countries", 2, gazetteer.countries(of:)), ("exonyms", 3, gazetteer.towns(of:)),
            ("regions", 3, gazetteer.areas(of:)),
        ]
        for (name, columns, places) in tables {
            let languages = Language.tables(name)
            #expect(!languages.isEmpty)
            for (language, table) in languages {
                var seen: Set<[Int]> = []
                for row in table.rows {
                    let found = places(row.dropLast())
                    let isNew = seen.insert(found).inserted
                    let hasName = columns == 2 || found.contains { gazetteer.places.name($0) == row[1] }
                    #expect(
                        row.count == columns && !found.isEmpty && hasName && isNew,
                        "\(language.code) \(name): \(row)")
                }
            }
        }
    }

    @Test(
        "Towns are found by the names that readers of a language have for them, and by no others",
        arguments: [
            ("fr", "Anvers", "BE"), ("es", "Lieja", "BE"), ("fr", "Aix-la-Chapelle", "DE"), ("fr", "Genève", "CH"),
            ("de", "Stuhlweißenburg", "HU"), ("de", "Rangun", "MM"),
        ]
    )
    func towns(code: String, name: String, country: String) throws {
        let language = try #require(Language(rawValue: code))
        #expect(try first(name, code)?.countryCode == country)
        let called = try gazetteer.places(called: name, language: language)
        #expect(Set(called.map(\.countryCode)) == [country])
        guard case .town(let town) = try gazetteer.town(named: name, language: language) else {
            Issue.record("\(name) is no town")
            return
        }
        #expect(town.countryCode == country)
        let begun = try gazetteer.places(
            beginningWith: String(name.dropLast()), within: SearchFilter(), language: language, limit: 5)
        #expect(begun.contains { $0.countryCode == country })
        for other in [Language.english, .italian] {
            #expect(try gazetteer.places(called: name, language: other).isEmpty)
        }
    }

    @Test("A misspelt name is found")
    func misspelt() throws {
        #expect(try first("Stuhlweissenbrug", "de")?.countryCode == "HU")
    }

    @Test("A name means the town with most people")
    func namesakes() throws {
        #expect(try first("Florencia", "es")?.comuneCode == "D612")
        #expect(try first("Florenz", "de")?.comuneCode == "D612")
        #expect(try first("Friburgo de Brisgovia", "es")?.countryCode == "DE")
    }

    @Test(
        "Countries and regions are found by their names in the language",
        arguments: [
            ("de", "Frankreich", "FR"), ("es", "Alemania", "DE"), ("fr", "Pays-Bas", "NL"),
            ("de", "Elfenbeinküste", "CI"), ("de", "Bayern", "DE"), ("fr", "Bavière", "DE"), ("es", "Provenza", "FR"),
        ]
    )
    func areas(code: String, name: String, country: String) throws {
        let place = try #require(try first(name, code))
        #expect(place.countryCode == country && place.comune == nil)
    }

    @Test("Areas behind a name may be named in the language")
    func qualifiers() throws {
        #expect(try first("Toledo, Spanien", "de")?.countryCode == "ES")
        #expect(try first("Toledo, Vereinigte Staaten", "de")?.countryCode == "US")
        #expect(try first("Castro, Lombardie", "fr")?.provinceCode == "BG")
        #expect(try first("Castro, Pouilles", "fr")?.provinceCode == "LE")
    }

    @Test("Added names are found like those of the file, which stay")
    func added() {
        let place = gazetteer.places.range(.comune).lowerBound
        let index = gazetteer.names.adding([(place + 1, "Qwertz"), (place, "Qwertz am Qwurf")])
        func bearers(_ words: [NameIndex.Word]) -> [Int] {
            words.flatMap(\.postings).map { index.place(ofName: index.posting($0).name) }
        }
        #expect(index.names(of: ["qwertz"]).map(index.place(ofName:)) == [place + 1])
        #expect(index.names(of: ["qwertz", "am", "qwurf"]).map(index.place(ofName:)) == [place])
        #expect(index.names(of: ["qwurf"]).isEmpty)
        #expect(bearers(index.exact("qwertz")) == [place, place + 1])
        #expect(bearers(index.prefixed("qwert")) == [place, place + 1])
        #expect(Set(bearers(index.prefixed("q"))).isSuperset(of: [place, place + 1]))
        #expect(bearers(index.misspelt("qwretz", asPrefix: false, sameLetter: true)) == [place, place + 1])
        #expect(bearers(index.misspelt("awertz", asPrefix: false, sameLetter: false)) == [place, place + 1])
        #expect(index.names(of: ["fisciano"]) == gazetteer.names.names(of: ["fisciano"]))
    }
}
