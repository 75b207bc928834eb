import Domain
import SearchText
import TestSupport
import Testing

/// How the words of searches are read.
struct ReadingTests {
    private func read(_ text: String, _ language: Language = .italian) throws -> SearchReading {
        let vocabulary = SearchVocabulary.shared(try Bundled.breeds())
        return try SearchTextReader(vocabulary, finder: try Bundled.gazetteer(), language: language).read(text)
    }

    /// The parts as "kind: value", for comparison.
    private func parts(_ text: String, _ language: Language = .italian) throws -> [String] {
        try read(text, language).parts.map { part in
            switch part.meaning {
            case .species(let species): "species: \(species.rawValue)"
            case .statuses(let statuses): "status: " + statuses.map(\.rawValue).joined(separator: ", ")
            case .sex(let sex): "sex: \(sex.rawValue)"
            case .size(let size): "size: \(size.rawValue)"
            case .age(let age): "age: \(age.rawValue)"
            case .breeds(let keys): "breed: " + keys.joined(separator: ", ")
            case .cross: "cross"
            case .colours(let names, let match):
                "colour: " + names.sorted().joined(separator: match == .any ? " or " : " and ")
            case .name(let name): "name: \(name)"
            case .area(let area):
                area.radius.map { "within \(Int($0)) m: \(area.name)" } ?? "\(area.level): \(area.name)"
            case .microchip(let chip): "microchip: \(chip)"
            case .code(let code): "code: \(code.text)"
            case .marks(let names): "mark: " + names.joined(separator: ", ")
            case .text(let words): "text: \(words)"
            }
        }
    }

    @Test(
        "A text is read into species, status, sex, age, size, breeds, colours and words",
        arguments: [
            ("cane nero", ["species: dog", "colour: black"]), ("black dog", ["colour: black", "species: dog"]),
            ("micio rosso scomparso", ["species: cat", "colour: red", "status: lost"]),
            ("randagio fulvo", ["status: found, sighted", "colour: fawn"]), ("beige", ["colour: cream or fawn"]),
            ("labrador nero", ["breed: labrador_retriever", "colour: black"]),
            ("black lab", ["colour: black", "breed: labrador_retriever"]),
            ("white dog", ["colour: white", "species: dog"]),
            ("cane corso", ["breed: cane_corso"]), ("golden retriever", ["breed: golden_retriever"]),
            ("pastore tedesco bianco", ["breed: german_shepherd", "colour: white"]),
            ("gatta persiana", ["species: cat", "sex: female", "breed: persian"]),
            ("simil pastore tedesco", ["cross", "breed: german_shepherd"]),
            (
                "incrocio tra labrador e pitbull",
                ["cross", "breed: labrador_retriever", "breed: american_pit_bull_terrier"]
            ),
            ("tabby cat", ["colour: brindle", "species: cat"]), ("soriano", ["colour: brindle"]),
            ("bianco e nero", ["colour: black and white"]), ("nero o marrone", ["colour: black or brown"]),
            ("grigio tigrato", ["colour: brindle and grey"]), ("sale e pepe", ["colour: grey"]),
            ("cucciolo di labrador", ["age: puppy", "breed: labrador_retriever"]),
            ("cane di piccola taglia", ["species: dog", "size: small"]),
            ("femmina anziana", ["sex: female", "age: senior"]),
            ("cane da caccia", ["species: dog", "text: caccia"]),
            ("Argo", ["text: argo"]), ("dog named Luna", ["species: dog", "name: luna"]),
            ("si chiama Bianca", ["name: bianca"]),
            ("zoppa", ["mark: zoppo"]), ("senza coda", ["mark: coda mozza"]),
        ] as [(String, [String])]
    )
    func kinds(text: String, expected: [String]) throws {
        #expect(try parts(text) == expected)
    }

    @Test(
        "A word of several languages means what it does in that of the search",
        arguments: [
            ("es", ["age: puppy", "colour: black"]), ("pt", ["species: dog", "colour: black"]),
            ("it", ["age: puppy", "species: dog", "colour: black"]),
        ] as [(String, [String])]
    )
    func ownLanguage(code: String, expected: [String]) throws {
        #expect(try parts("cachorro negro", try #require(Language(rawValue: code))) == expected)
    }

    @Test(
        "The colour of a thing or of a part of the body is not that of the coat",
        arguments: [
            ("collare rosso", ["mark: collare rosso"]), ("red collar", ["mark: collare rosso"]),
            ("collarino di colore rosso", ["mark: collare rosso"]), ("pettorine verdi", ["mark: pettorina verde"]),
            ("cane nero con collare rosso", ["species: dog", "colour: black", "mark: collare rosso"]),
            ("boxer tigrato petto bianco", ["breed: boxer", "colour: brindle", "mark: petto bianco"]),
            ("grey with white chest", ["colour: grey", "mark: petto bianco"]),
            ("dal pelo nero", ["colour: black"]), ("black coat", ["colour: black"]),
            ("color miele", ["colour: fawn"]), ("pelo lungo", ["mark: pelo lungo"]),
        ] as [(String, [String])]
    )
    func colours(text: String, expected: [String]) throws {
        #expect(try parts(text) == expected)
    }

    @Test("Texts tell the same marks in other words")
    func marks() {
        for (text, expected) in [
            ("Porta un collare di colore rosso", ["mark:collare", "mark:collare rosso"]),
            ("Has a red collar.", ["mark:collare", "mark:collare rosso"]),
            ("È zoppa da una zampa", ["mark:zoppo", "mark:zampa"]), ("Ha il pelo molto lungo", ["mark:pelo lungo"]),
            ("Molto anziana, ha 14 anni", ["age:senior"]), ("È nato senza coda", ["mark:coda mozza", "mark:coda"]),
            ("Bella e buona", ["mark:docile"]), ("Um cachorro", []), ("Un cachorrito", ["age:puppy"]),
            ("", []),
        ] as [(String, Set<String>)] {
            #expect(MarkReader.shared.facets(in: [text]) == expected, "\(text)")
        }
    }

    @Test(
        "Towns and areas are read with the words around them",
        arguments: [
            ("cane Eboli", ["species: dog", "comune: Eboli"]), ("Eboli SA", ["comune: Eboli"]),
            ("Eboli (SA)", ["comune: Eboli"]), ("Castro (LE)", ["comune: Castro"]), ("Eboli centro", ["comune: Eboli"]),
            ("zona Eboli", ["within 15000 m: Eboli"]), ("vicino a Eboli", ["within 15000 m: Eboli"]),
            ("Salerno e dintorni", ["within 15000 m: Salerno"]), ("near Naples", ["within 15000 m: Napoli"]),
            ("entro 10 km da Eboli", ["within 10000 m: Eboli"]),
            ("within 5 miles of Salerno", ["within 8046 m: Salerno"]),
            ("Salerno", ["comune: Salerno"]), ("Salerno provincia", ["province: Salerno"]),
            ("in provincia di Salerno", ["province: Salerno"]), ("a Salerno e provincia", ["province: Salerno"]),
            ("in Campania", ["region: Campania"]), ("Italia", ["country: Italia"]), ("Bozen", ["comune: Bolzano"]),
            ("cane san giovanni rotondo", ["species: dog", "comune: San Giovanni Rotondo"]),
            ("terranova bracciolini", ["breed: newfoundland", "text: bracciolini"]),
            ("Mestre", ["text: mestre"]),
        ] as [(String, [String])]
    )
    func places(text: String, expected: [String]) throws {
        #expect(try parts(text) == expected)
    }

    @Test(
        "Words that say nothing are left out",
        arguments: [
            "ho perso il mio labrador", "cerco un labrador", "avete visto un labrador?",
            "looking for a labrador please",
            "qualcuno ha visto il labrador", "labrador di razza",
        ]
    )
    func emptyWords(text: String) throws {
        #expect(try parts(text) == ["breed: labrador_retriever"])
    }

    @Test("A name alone that is also a town or a word stays searchable as a word")
    func names() throws {
        guard case .area(let area) = try #require(try read("Bella").parts.first).meaning else {
            Issue.record("no area")
            return
        }
        #expect(area.isBare)
        guard case .area(let marked) = try #require(try read("a Bella").parts.first).meaning else {
            Issue.record("no area")
            return
        }
        #expect(!marked.isBare)
    }

    @Test("A microchip number is one, also with spaces; other numbers are words")
    func microchips() throws {
        #expect(try parts("380260000123456") == ["microchip: 380260000123456"])
        #expect(try parts("chip 380 260 000 123 456").last == "microchip: 380260000123456")
        #expect(try parts("3331234567") == ["text: 3331234567"])
    }

    @Test("Words between quotation marks are plain words")
    func quotes() throws {
        #expect(try parts("cane \"nero\"") == ["species: dog", "text: nero"])
        #expect(try parts("“labrador nero”") == ["text: labrador nero"])
    }

    @Test("A part can be removed from the text, quoted, or replaced")
    func editing() throws {
        let reading = try read("cane nero, Eboli!")
        let colour = try #require(reading.parts.dropFirst().first)
        #expect(colour.words == "nero")
        #expect(reading.text(without: colour) == "cane Eboli")
        #expect(reading.text(quoting: colour) == "cane \"nero\" Eboli")
        #expect(reading.text(replacing: colour, with: "bianco") == "cane bianco Eboli")
        let quoted = try read(reading.text(quoting: colour))
        #expect(quoted.text(without: try #require(quoted.parts.first)) == "\"nero\" Eboli")
    }

    @Test("Any text is read, in bounded time", arguments: hostile)
    func hostileTexts(text: String) throws {
        let reading = try read(text)
        for part in reading.parts {
            #expect(try read(reading.text(without: part)).parts.count < reading.parts.count + 2)
        }
    }

    private static let hostile = [
        "", " ", "\"", "\"\"\"", "\u{301}\u{301}", String(repeating: "a ", count: 100),
        String(repeating: "san ", count: 50),
        String(repeating: "di ", count: 66), String(repeating: "vicino a ", count: 22),
        String(repeating: "nero e ", count: 28),
        String(repeating: "9", count: 200), String(repeating: "1 ", count: 100), "ﬁﬁﬁ ſſſ ßßß", "👩‍👩‍👧‍👦 🐕",
        "\u{202E}oren enac",
        String(repeating: "collare ", count: 25), "entro 999999999999999999999 km da Eboli", "entro 0 km da Eboli",
        "entro km da",
        "\u{0}\u{1}", String(repeating: "entro 10 km da ", count: 13), "'; DROP TABLE listing; --", "* OR (",
        "NEAR(a b)",
    ]
}
