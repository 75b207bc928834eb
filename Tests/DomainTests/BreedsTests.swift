import CSV
import Foundation
import Testing

@testable import Domain

private let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
private let shared = root.appending(path: "../shared/data/geo/animals/dog_breed_frequency.csv").standardizedFileURL

@Suite("Breeds")
struct BreedsTests {
    private let breeds: Breeds

    init() throws {
        breeds = try Breeds(tsv: Data(contentsOf: root.appending(path: "geodata/breeds.tsv")))
    }

    @Test(
        "Common names and abbreviations identify breeds",
        arguments: [
            ("Lab", "labrador_retriever"), ("PASTORE TEDESCO", "german_shepherd"),
            ("cane da pastore tedesco", "german_shepherd"),
            ("alsatian", "german_shepherd"), ("Maremmano", "maremma_sheepdog"),
            ("pitbull", "american_pit_bull_terrier"),
            ("Pit-Bull", "american_pit_bull_terrier"), ("meticcio", "mixed"), ("incrocio", "mixed"), ("Mix", "mixed"),
            ("bastardino", "mixed"), ("toller", "nova_scotia_duck_tolling_retriever"), ("Épagneul Breton", "brittany"),
            ("epagneul breton", "brittany"), ("bolognese", "bolognese"), ("cirneco dell’etna", "cirneco_dell_etna"),
            ("soriano", "domestic_cat"), ("fonnese", "cane_fonnese"), ("barboncino toy", "poodle"),
            ("Golden", "golden_retriever"),
        ]
    )
    func names(name: String, key: String) {
        #expect(breeds.breed(named: name)?.key == key)
    }

    @Test(
        "Text that does not name exactly one breed stays free text",
        arguments: [
            "Labrador mix", "Lab X", "incrocio di labrador", "simil pastore tedesco", "cane", "", "small dog", "?",
        ]
    )
    func freeText(text: String) {
        #expect(breeds.breed(named: text) == nil)
    }

    @Test(
        "A listing belongs to its breeds, to their types, and to crosses",
        arguments: [
            ("Labrador mix", ["labrador_retriever", "retriever", "mixed"]),
            ("Labrador", ["labrador_retriever", "retriever"]),
            ("incrocio tra pastore tedesco e husky", ["german_shepherd", "siberian_husky", "shepherd", "mixed"]),
            ("Jack Russell", ["jack_russell_terrier", "terrier"]), ("Terrier", ["terrier"]),
            ("cockapoo", ["cockapoo", "english_cocker_spaniel", "poodle", "spaniel", "mixed"]),
            ("Meticcio", ["mixed", ""]), ("?", [""]), ("Golden", ["golden_retriever", "retriever"]),
        ]
    )
    func facets(text: String, facets: [String]) {
        let found = breeds.listingBreeds(text, key: breeds.breed(named: text)?.key, species: .dog)
        #expect(found.facets == facets)
        #expect(found.isMixed == facets.contains("mixed"))
    }

    @Test("Of a cat, no breed of dogs is read")
    func otherSpecies() {
        let crossed = breeds.listingBreeds("incrocio siamese e labrador", key: nil, species: .cat)
        #expect(crossed.keys == ["siamese"] && crossed.facets == ["siamese", "mixed"])
        #expect(breeds.listingBreeds(nil, key: nil, species: .cat).facets == [])
        #expect(
            breeds.listingBreeds("Labrador", key: "labrador_retriever", species: .dog).keys == ["labrador_retriever"])
    }

    @Test(
        "A filter means a breed, a type or breeds with the words; a wording of a cross is read",
        arguments: [
            ("labrador", ["labrador_retriever"]), ("terrier", ["terrier"]), ("corso", ["cane_corso"]),
            ("incrocio labrador", ["labrador_retriever"]), ("simil pastore tedesco", ["german_shepherd"]),
            ("meticcio", ["mixed"]), ("zwxq", []),
        ]
    )
    func groups(text: String, keys: [String]) {
        let group = breeds.group(named: text)
        #expect(group.breeds.map(\.key) == keys)
        #expect((group.text == nil) != keys.isEmpty)
    }

    @Test("The breeds of the table of meanings are in the breed table")
    func meanings() {
        for row in BreedReader.meanings {
            for key in row[1].split(separator: " ") { #expect(breeds.breed(key: String(key)) != nil, "\(key)") }
        }
    }

    @Test(
        "The search ranks the intended breed first",
        arguments: [
            ("lab", .english, "labrador_retriever"), ("past", .italian, "german_shepherd"),
            ("tedesc", .italian, "german_shepherd"),
            ("labardor", .italian, "labrador_retriever"), ("golden retreivr", .english, "golden_retriever"),
            ("rotwiler", .italian, "rottweiler"), ("jackrus", .english, "jack_russell_terrier"),
            ("chiuaua", .italian, "chihuahua"),
            ("labrador mix", .english, "labrador_retriever"), ("alano", .italian, "great_dane"),
            ("corso", .italian, "cane_corso"),
            ("maremmanno", .italian, "maremma_sheepdog"), ("pastre tedesco", .italian, "german_shepherd"),
            ("yorkshire", .italian, "yorkshire_terrier"), ("metic", .italian, "mixed"),
            ("shi tzu", .english, "shih_tzu"),
            ("bovaro del", .italian, "bernese_mountain_dog"), ("setter", .italian, "setter"),
            ("segugio", .italian, "hound"),
            ("dobermn", .english, "dobermann"), ("lagoto", .italian, "lagotto_romagnolo"),
            ("cocker", .italian, "english_cocker_spaniel"),
        ] as [(String, Language, String)]
    )
    func bestMatch(text: String, language: Language, key: String) {
        #expect(breeds.search(text, language: language, species: .dog, limit: 5).first?.key == key)
    }

    @Test("The search respects the species and the limit")
    func speciesAndLimit() {
        #expect(breeds.search("sia", language: .english, species: .cat, limit: 5).map(\.key) == ["siamese"])
        #expect(breeds.search("", language: .english, species: .dog, limit: 3).map(\.key).first == "mixed")
        #expect(breeds.search("a", language: .english, limit: 4).count == 4)
        #expect(breeds.search("a", language: .english, limit: 0).isEmpty)
        #expect(breeds.search("qqqqqqqq", language: .english, limit: 4).isEmpty)
    }

    @Test("The search ranks names in the requested language first")
    func language() {
        let italian = breeds.search("terra", language: .italian, species: .dog, limit: 1)
        #expect(italian.first?.name(in: .italian) == "Terranova")
        #expect(breeds.search("newf", language: .english, species: .dog, limit: 1).first?.key == "newfoundland")
    }

    @Test("Every breed is found by its key and its names")
    func allNames() {
        for breed in breeds.all {
            #expect(breeds.breed(key: breed.key) == breed)
            for name in breed.names + breed.synonyms {
                #expect(breeds.breed(named: name) == breed)
            }
            #expect(
                breeds.search(breed.name(in: .italian), language: .italian, species: breed.species, limit: 1) == [breed]
            )
        }
    }

    @Test("All breeds of the FCI are present with their group")
    func fciGroups() {
        let numbers = Set(breeds.all.compactMap(\.fciNumber))
        #expect(numbers.count == 359)
        #expect(breeds.all.allSatisfy { ($0.fciNumber == nil) || (1...10).contains($0.fciGroup ?? 0) })
        #expect(breeds.breed(key: "labrador_retriever")?.fciNumber == 122)
        #expect(breeds.breed(key: "segugio_maremmano")?.fciGroup == 6)
    }

    @Test("The labels of the photo classifier are breed keys")
    func classifierLabels() {
        let labels = """
            afghan_hound airedale_terrier american_bulldog american_hairless_terrier american_pit_bull_terrier \
            american_water_spaniel basenji basset_hound beagle bearded_collie belgian_groenendael belgian_malinois \
            bernese_mountain_dog bichon_frise bloodhound bluetick_coonhound border_collie borzoi boston_terrier boxer \
            bull_terrier bulldog bullmastiff cairn_terrier cavalier_king_charles_spaniel chihuahua chinese_crested \
            chow_chow clumber_spaniel cockapoo collie dalmatian dobermann english_cocker_spaniel flat_coated_retriever \
            french_bulldog german_shepherd golden_retriever great_dane great_pyrenees greyhound irish_water_spaniel \
            irish_wolfhound jack_russell_terrier japanese_chin komondor labradoodle labrador_retriever lhasa_apso maltese \
            newfoundland norwegian_elkhound pekingese pomeranian poodle pug rhodesian_ridgeback rottweiler saint_bernard \
            schnauzer scottish_terrier shar_pei shiba_inu shih_tzu siberian_husky vizsla welsh_corgi xoloitzcuintle \
            yorkshire_terrier african_wild_dog coyote dhole dingo
            """.split(separator: " ").map(String.init)
        #expect(labels.count == 73)
        for label in labels {
            #expect(breeds.breed(key: label) != nil, "\(label)")
            #expect(breeds.breed(named: label)?.key == label, "\(label)")
        }
        #expect(breeds.breed(named: "cat")?.species == .cat)
    }

    @Test(
        "Most breeds in real reports are recognised",
        .enabled(if: FileManager.default.fileExists(atPath: shared.path), "needs ../shared")
    )
    func realReports() throws {
        var reader = try CSVReader(FileHandle(forReadingFrom: shared))
        var (total, exact, mentioned) = (0, 0, 0)
        while let row = try reader.next() {
            let text = row["breed"] ?? ""
            let count = Int(row["n"] ?? "") ?? 0
            total += text.isEmpty ? 0 : count
            exact += breeds.breed(named: text) == nil ? 0 : count
            let reading = breeds.reader.read(text)
            mentioned += reading.breeds.isEmpty && !reading.isMixed ? 0 : count
        }
        print("of \(total) reports \(exact) name one breed, \(mentioned) mention one")
        #expect(Double(exact) > 0.19 * Double(total))
        #expect(Double(mentioned) > 0.99 * Double(total))
    }
}

@Suite("Breed table")
struct BreedTableTests {
    private static let header = "key\tspecies\tname\tsynonyms\tfci_number\tfci_group\tfrequency"

    @Test(
        "The error for a malformed table states the line",
        arguments: [
            ("key\tname\n", 1), ("\(header)\nboxer\tdog\tBoxer", 2),
            ("\(header)\nBoxer\tdog\tBoxer\t\t\t\t0", 2),
            ("\(header)\nboxer\twolf\tBoxer\t\t\t\t0", 2), ("\(header)\nboxer\tdog\tBoxer\t\tx\t\t0", 2),
            ("\(header)\nboxer\tdog\tBoxer\t\t\t\t-1", 2), ("\(header)\nboxer\tdog\t\t\t\t\t1", 2),
            ("\(header)\n\nboxer\tdog\tBoxer\t\t\t\t1\nboxer\tdog\tOther\t\t\t\t1", 4),
            ("\(header)\nboxer\tdog\tBoxer\tbox\t\t\t1\npug\tdog\tPug\tmops|BOX\t\t\t1", 3),
        ]
    )
    func malformedTable(text: String, line: Int) {
        let error = #expect(throws: BreedTableError.self) { try Breeds(tsv: text) }
        #expect(error?.line == line)
    }

    @Test("The error for an ambiguous name states both breeds")
    func ambiguousName() {
        let text = Self.header + "\nboxer\tdog\tBoxer\tbox\t\t\t1\npug\tdog\tPug\tBOX\t\t\t1\n"
        let error = #expect(throws: BreedTableError.self) { try Breeds(tsv: text) }
        #expect(error?.description == "breeds, line 3: \"BOX\" of pug also names boxer")
    }
}
