import Domain
import Localization
import SearchText
import ServerSupport
import TestSupport
import Testing

@testable import Server

@Suite("Suggestions for searches")
struct SuggestionTests {
    /// A suggester in Italian, and the board whose names it knows.
    private struct Scene {
        let board: TestDatabase
        let suggester: SearchSuggester

        init() async throws {
            board = try await TestDatabase()
            let breeds = try Bundled.breeds()
            let localizer = try Localization(breeds: breeds).localizer(.italian)
            suggester = SearchSuggester(localizer, breeds, try Bundled.gazetteer(), board.search)
        }

        func suggestions(for text: String, isEnded: Bool = false) throws -> [SearchSuggestion] {
            try suggester.suggestions(for: text, isEnded: isEnded)
        }
    }

    @Test("Names on the board are suggested beside towns, in capitals, behind other words too")
    func names() async throws {
        let scene = try await Scene()
        let owner = try await scene.board.guest()
        for name in ["Argo", "argo", "Lunabella"] {
            _ = try await scene.board.listings.create(.at(14, 40) { $0.name = name }, owner: owner)
        }
        let found = try scene.suggestions(for: "cane arg")
        #expect(found.contains(SearchSuggestion(text: "cane Argo", kind: .name)), "\(found)")
        #expect(found.contains { $0.kind == .place })
        #expect(try scene.suggestions(for: "lunab") == [SearchSuggestion(text: "Lunabella", kind: .name)])
        #expect(try scene.suggestions(for: "lunab", isEnded: true) == [])
    }

    @Test(
        "The last words are completed, and the words before them stay",
        arguments: [
            ("lab", "Labrador Retriever", .breed), ("jack r", "Jack Russell Terrier", .breed),
            ("cane nero ebo", "cane nero Eboli", .place), ("cane ne", "cane nero", .colour), ("ga", "gatto", .species),
            ("gatto sma", "gatto smarrito", .status), ("fem", "femmina", .sex), ("cuc", "cucciolo", .age),
            ("cane taglia pi", "cane taglia piccola", .size), ("inc", "incrocio", .cross),
            ("cane \"collare\" eb", "cane \"collare\" Eboli", .place),
            ("zona san giuliano m", "zona San Giuliano Milanese", .place),
            ("BIANCO e grig", "BIANCO e grigio", .colour), ("pastore t", "Pastore tedesco", .breed),
        ] as [(String, String, SearchReading.Part.Kind)]
    )
    func completions(text: String, whole: String, kind: SearchReading.Part.Kind) async throws {
        let scene = try await Scene()
        let found = try scene.suggestions(for: text)
        #expect(found.contains(SearchSuggestion(text: whole, kind: kind)), "\(found)")
        #expect(found.count <= SearchSuggester.maxCount)
        #expect(Set(found.map(\.text)).count == found.count)
    }

    @Test("A town comes without its province of the same name, and towns of one name with their provinces")
    func towns() async throws {
        let scene = try await Scene()
        let salerno = try scene.suggestions(for: "salern").filter { $0.kind == .place }
        #expect(salerno == [SearchSuggestion(text: "Salerno", kind: .place)])
        #expect(try scene.suggestions(for: "sal").first { $0.kind == .place }?.text == "Salerno")
        let castro = try scene.suggestions(for: "castro").map(\.text)
        #expect(castro.contains("Castro (LE)") && castro.contains("Castro (BG)"), "\(castro)")
    }

    @Test("Frequent breeds come first")
    func frequency() async throws {
        let scene = try await Scene()
        let breeds = try scene.suggestions(for: "la").filter { $0.kind == .breed }
        #expect(breeds.first?.text == "Labrador Retriever")
    }

    @Test(
        "Nothing is suggested for single letters, quoted and unknown words", arguments: ["l", "\"cane ne", "xqzw", "…"])
    func nothing(text: String) async throws {
        let scene = try await Scene()
        #expect(try scene.suggestions(for: text) == [])
    }

    @Test("A whole word is not suggested again")
    func whole() async throws {
        let scene = try await Scene()
        #expect(try !scene.suggestions(for: "nero").contains { $0.text == "nero" })
    }

    @Test("Behind a space, only names of several words go on")
    func ended() async throws {
        let scene = try await Scene()
        let found = try scene.suggestions(for: "jack", isEnded: true)
        #expect(found.contains(SearchSuggestion(text: "Jack Russell Terrier", kind: .breed)))
        #expect(try scene.suggestions(for: "lab", isEnded: true) == [])
    }

    @Test("Searches read each suggested word as what the suggestion says", arguments: Language.allCases)
    func words(language: Language) throws {
        let breeds = try Bundled.breeds()
        let reader = SearchTextReader(.shared(breeds), finder: try Bundled.gazetteer(), language: language)
        let words = try Localization(breeds: breeds).localizer(language).searchWords
        #expect(words.count == 25)
        for word in words { #expect(try reader.read(word.text).parts.map(\.kind) == [word.kind], "\(word.text)") }
    }

    @Test("The most frequent breeds are read as themselves", arguments: Language.allCases)
    func breeds(language: Language) throws {
        let breeds = try Bundled.breeds()
        let reader = SearchTextReader(.shared(breeds), finder: try Bundled.gazetteer(), language: language)
        for breed in breeds.search("", language: language, limit: 60) where !breed.isType && breed.key != Breed.mixedKey
        {
            let parts = try reader.read(breed.name(in: language)).parts
            guard parts.count == 1, case .breeds(let keys) = parts[0].meaning, keys.contains(breed.key) else {
                Issue.record("\(breed.name(in: language)): \(parts)")
                continue
            }
        }
    }

    @Test("The route answers in the language, may be cached, and refuses an empty text")
    func route() async throws {
        try await RunningService.with(hasModel: false) { service in
            let answer = try await service.send("GET", "/v1/search/suggestions?q=blac&lang=en")
            #expect(answer.text("suggestions", "0", "q") == "black")
            #expect(answer.text("suggestions", "0", "kind") == "colour")
            #expect(answer.headers["cache-control"] == "public, max-age=3600")
            let italian = try await service.send(
                "GET", "/v1/search/suggestions?q=gatt", headers: ["Accept-Language": "it"])
            #expect(italian.text("suggestions", "0", "q") == "gatto")
            let empty = try await service.send("GET", "/v1/search/suggestions")
            #expect(empty.status == 400 && empty.text("field") == "q")
        }
    }
}
