import Domain
import Localization
import SearchText
import TestSupport
import Testing

@testable import Pages

@Suite("The search field and its chips")
struct SearchViewTests {
    private static func view(
        _ text: String,
        _ language: Language = .italian,
        values: [String: String] = [:],
        corrections: [String: String] = [:],
        _ change: (inout SearchResult) -> Void = { _ in }
    ) throws -> SearchView {
        let breeds = try Bundled.breeds()
        let reader = SearchTextReader(.shared(breeds), finder: try Bundled.gazetteer(), language: language)
        var result = SearchResult(try reader.read(text, corrections: corrections))
        change(&result)
        let pages = try Pages(Localization(breeds: breeds), base: "/base")
        return pages.builder(language, origin: "").search(result, "/board", values.merging(["q": text]) { $1 })
    }

    @Test(
        "Chips say what was understood, in the language of the page",
        arguments: [
            ("cane nero", .italian, ["Cane", "nero"]), ("cane nero", .english, ["Dog", "black"]),
            ("labrador femmina eboli", .italian, ["Labrador Retriever", "femmina", "Eboli"]),
            ("gatto grigio zona Salerno", .italian, ["Gatto", "grigio", "entro 15\u{A0}km da Salerno"]),
            ("grey cat near Salerno", .english, ["grey", "Cat", "within 15\u{A0}km of Salerno"]),
            ("collare rosso", .italian, ["«collare rosso»"]), ("red collar", .english, ["“red collar”"]),
            ("labardor", .italian, ["labardor → Labrador Retriever"]), ("cagnolina", .italian, ["Cane, femmina"]),
            (
                "smarrito incrocio cucciolo di taglia piccola", .italian,
                ["smarrito", "incrocio", "cucciolo", "taglia piccola"]
            ),
            ("si chiama bianca", .italian, ["nome: Bianca"]), ("randagio", .italian, ["trovato o avvistato"]),
            ("bianco e nero", .italian, ["bianco e nero"]),
            ("provincia di Salerno", .italian, ["provincia di Salerno"]),
            ("380260000123456", .italian, ["microchip 380260000123456"]), ("", .italian, []),
        ] as [(String, Language, [String])]
    )
    func labels(text: String, language: Language, labels: [String]) throws {
        #expect(try Self.view(text, language).chips.map(\.label) == labels)
    }

    @Test("The label of many breeds tells the words and their number")
    func manyBreeds() throws {
        let label = try #require(try Self.view("levriero").chips.first?.label)
        #expect(label == "levriero (13 razze)")
    }

    @Test("A corrected word is shown with what was read")
    func corrected() throws {
        let view = try Self.view("cane nwro", corrections: ["nwro": "nero"])
        #expect(view.chips.map(\.label) == ["Cane", "nwro → nero"])
    }

    @Test("The links of a chip remove it or quote its words, and keep all other filters")
    func links() throws {
        let view = try Self.view("cane nero", values: ["status": "lost", "lon": "14.8", "lat": "40.7"])
        let chip = try #require(view.chips.last)
        #expect(chip.remove == "/base/board?lat=40.7&lon=14.8&q=cane&status=lost")
        #expect(chip.removeLabel == "Togli: nero")
        #expect(chip.quote?.href == "/base/board?lat=40.7&lon=14.8&q=cane%20%22nero%22&status=lost")
        #expect(chip.quote?.name == "Cerca la parola «nero»")
        // Plain words cannot be quoted, and without the only chip there is no search.
        let words = try Self.view("caccia").chips
        #expect(words.map(\.remove) == ["/base/board"])
        #expect(words.allSatisfy { $0.quote == nil })
        let several = try #require(try Self.view("pastore tedesco").chips.first)
        #expect(several.quote?.name == "Cerca le parole «pastore tedesco»")
    }

    @Test("Words that share a meaning with others are removed together")
    func together() throws {
        let chip = try #require(try Self.view("cagnolina nera").chips.first)
        #expect(chip.remove == "/base/board?q=nera")
        #expect(chip.quote?.href == "/base/board?q=%22cagnolina%22%20nera")
    }

    @Test("Alternatives have the number of their listings")
    func alternatives() throws {
        let view = try Self.view("labrador nero eboli") {
            $0.alternatives = [("labrador nero entro 25 km da Eboli", 3, true), ("labrador", 40, false)]
        }
        #expect(view.nothing == "Nessun risultato per «labrador nero eboli».")
        #expect(view.alternatives.map(\.name) == ["labrador nero entro 25 km da Eboli: 3", "labrador: almeno 40"])
        #expect(
            view.alternatives.map(\.href) == [
                "/base/board?q=labrador%20nero%20entro%2025%20km%20da%20Eboli", "/base/board?q=labrador",
            ])
    }

    @Test("The number of a microchip is offered to its own page")
    func microchip() throws {
        #expect(try Self.view("380260000123456").microchip == "380260000123456")
        #expect(try Self.view("cane nero").microchip == nil)
    }
}
