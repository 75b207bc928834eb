import Domain
import Foundation
import Testing

@testable import Matching

@Suite("Reading of listings for matches")
struct ReadingTests {
    private let breeds = Subjects.reader.breeds

    private func keys(_ text: String) -> [String] { breeds.read(text).breeds.map { breeds.keys[Int($0)] } }

    @Test(
        "Breeds are read as people write them",
        arguments: [
            ("Lab X Shep", ["labrador_retriever", "german_shepherd"]), ("Labrador Retriever", ["labrador_retriever"]),
            ("Germ. Sheperd", ["german_shepherd"]), ("Rott", ["rottweiler"]), ("rotweiller", ["rottweiler"]),
            ("labx", ["labrador_retriever"]), ("Pitbull/Boxer", ["american_pit_bull_terrier", "boxer"]),
            ("labradoodle", ["labrador_retriever", "poodle"]), ("Toy Poodle", ["poodle"]),
            ("Lahsa Apso", ["lhasa_apso"]),
            ("Amer. Bull Dog", ["american_bulldog"]), ("pastore tedesco", ["german_shepherd"]),
            ("incrocio di labrador", ["labrador_retriever"]), ("simil maremmano", ["maremma_sheepdog"]),
            ("barboncino", ["poodle"]), ("volpino", ["volpino_italiano"]), ("carlino", ["pug"]),
            ("chihuahu", ["chihuahua"]),
            ("meticcio", []), ("unknown", []), ("", []), ("??", []),
        ]
    )
    func breedNames(text: String, expected: [String]) {
        #expect(keys(text) == expected)
    }

    @Test(
        "Crosses are told from pure breeds",
        arguments: [
            ("Lab X", true), ("Lab mix", true), ("incrocio labrador", true), ("Maltipoo", true), ("Lab", false),
            ("Boxer", false), ("meticcio", true),
        ]
    )
    func crosses(text: String, isMixed: Bool) {
        #expect(breeds.read(text).isMixed == isMixed)
    }

    @Test(
        "Colours are read in English and Italian",
        arguments: [
            ("Black & Tan", ["black", "tan"], "black"), ("blk/wht", ["black", "white"], "black"),
            ("nero con petto bianco", ["black", "white"], "black"), ("fulvo", ["tan"], "tan"),
            ("greyish", ["grey"], "grey"), ("Brindel", ["brindle"], "brindle"),
            ("tricolore", ["black", "white", "tan"], "black"), ("nero focato", ["black", "tan"], "black"),
            ("Salt & Pepper", ["grey"], "grey"), ("marrone chiaro", ["tan"], "tan"), ("", [], nil),
            ("friendly", [], nil),
        ] as [(String, Set<String>, String?)]
    )
    func colours(text: String, expected: Set<String>, first: String?) {
        let reader = ColourReader()
        let reading = reader.read(text)
        let names = reader.names.indices.filter { reading.colours & 1 << UInt16($0) != 0 }.map { reader.names[$0] }
        #expect(Set(names) == expected)
        #expect((reading.first == 0 ? nil : reader.names[Int(reading.first) - 1]) == first)
    }

    /// Wordings of one coat, as two people write them.
    static let alike = [
        ("tricolore", "bianco, nero e marrone"), ("tricolor", "black, white & tan"),
        ("tre colori", "nero bianco fulvo"),
        ("nero focato", "black and tan"), ("nera focata", "nero e marrone chiaro"), ("black and rust", "nero fuoco"),
        ("fulvo", "marrone chiaro"), ("miele", "tan"), ("beige", "fulvo chiaro"), ("isabella", "sabbia"),
        ("oro", "golden"), ("oro", "giallo"), ("biondo", "yellow"), ("lupo", "grigio lupo"), ("lupo", "wolf grey"),
        ("sale e pepe", "salt and pepper"), ("pepe sale", "grigio"), ("roano", "roan"), ("arlecchino", "merle"),
        ("arlecchino", "harlequin"), ("blue merle", "merle blu"), ("bianco arancio", "white and orange"),
        ("tigrato", "brindle"), ("cioccolato", "chocolate brown"), ("testa di moro", "marrone scuro"),
        ("rossiccio", "red"),
        ("fulvo e bianco", "white, tan"), ("bianco sporco", "crema"), ("tartaruga", "tortoiseshell"), ("nerro", "nero"),
    ]

    /// Wordings of two coats.
    static let unlike = [
        ("nero", "bianco"), ("tricolore", "fulvo"), ("nero focato", "bianco"), ("sale e pepe", "marrone"),
        ("tigrato", "nero"), ("oro", "grigio"), ("cioccolato", "bianco"), ("lupo", "bianco e rosso"), ("roano", "nero"),
        ("arlecchino", "fulvo"), ("isabella", "nero"), ("black and tan", "white and grey"), ("miele", "nero"),
        ("bianco arancio", "nero focato"),
    ]

    @Test("Two wordings of a coat speak for one animal, those of two coats against it")
    func coats() throws {
        func bits(_ pair: (String, String)) throws -> Double {
            let (lost, found) = (try Subjects.lost { $0.colour = pair.0 }, try Subjects.lost { $0.colour = pair.1 })
            return Subjects.scorer.bits(lost, found, distanceMetres: 0)
        }
        let unsaid = try bits(("", ""))
        for pair in Self.alike { #expect(try bits(pair) > unsaid, "\(pair)") }
        for pair in Self.unlike { #expect(try bits(pair) < unsaid, "\(pair)") }
    }

    @Test("The colour in the name of a breed counts where no colour is said")
    func colourOfBreed() throws {
        let lab = try Subjects.lost { $0.breed = "Chocolate Lab" }
        #expect(try lab.colours == Subjects.lost { $0.colour = "brown" }.colours)
    }

    @Test(
        "Facts are read in descriptions",
        arguments: [
            ("Neutered or spayed. About 23 kg.", true, 23), ("Sterilizzata, 4kg", true, 4),
            ("not neutered", false, nil),
            ("non sterilizzato", false, nil), ("20 lbs", nil, 9.072), ("kg 12", nil, 12), ("4.5 kg", nil, 4),
            ("", nil, nil),
            ("3000 kg", nil, nil),
        ] as [(String, Bool?, Double?)]
    )
    func facts(text: String, neutered: Bool?, kilograms: Double?) {
        let facts = FactReading(text)
        #expect(facts.neutered == neutered)
        #expect(facts.kilograms == kilograms)
    }

    @Test(
        "Ages are read",
        arguments: [
            ("2 years", 24), ("8 mesi", 8), ("3", 36), ("cucciolo", 6), ("Senior", 120), ("5 anni", 60), ("??", nil),
            ("4 months", 4),
        ] as [(String, UInt16?)]
    )
    func ages(text: String, months: UInt16?) {
        #expect(AgeReading.months(text) == months)
    }

    @Test("Hostile texts are read in bounded time and without a trap", .timeLimit(.minutes(5)))
    func hostileTexts() throws {
        let texts = [
            String(repeating: "shep x ", count: 100_000), String(repeating: "a", count: 1_000_000),
            String(repeating: "e\u{301}\u{327}", count: 100_000), "\u{0}\u{FEFF}\u{202E}",
            "1e400 kg 99999999999999999999 kg",
            String(repeating: "kg ", count: 100_000), "e" + String(repeating: "\u{301}", count: 1_000_000),
            String(repeating: "🐕", count: 50_000), "-1 kg", "NaN kg", "٣ kg",
        ]
        for text in texts {
            let subject = try Subjects.lost {
                ($0.breed, $0.colour, $0.age, $0.marks) = (text, text, text, text)
                ($0.collar, $0.description, $0.microchip) = (text, text, text)
                $0.photoBreeds = Array(repeating: (key: "boxer", probability: .nan), count: 10_000)
            }
            #expect(Subjects.scorer.bits(subject, subject, distanceMetres: 0).isFinite)
        }
    }

    @Test("One edit is an insertion, a deletion, a replacement or a transposition")
    func edits() {
        func isOne(_ left: String, _ right: String) -> Bool { isOneEdit(Array(left.utf8), Array(right.utf8)) }
        #expect(isOne("husky", "huskey") && isOne("visla", "vizla") && isOne("collei", "collie") && isOne("a", "ab"))
        #expect(!isOne("boxer", "boxer") && !isOne("abcd", "badc") && !isOne("collie", "colly") && !isOne("", "ab"))
    }
}
