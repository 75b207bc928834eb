import Foundation
import Testing

@testable import Domain

@Suite("Stems")
struct StemmerTests {
    @Test(
        "Forms of a word have the same stem",
        arguments: [
            ["cane", "cani"], ["gatto", "gatti", "gatta", "gatte"], ["macchia", "macchie"],
            ["bianco", "bianca", "bianchi", "bianche"],
            ["smarrito", "smarrita", "smarriti"], ["puppy", "puppies"], ["spot", "spots", "spotted"],
        ]
    )
    func forms(words: [String]) {
        let stems = words.map(\.stem)
        #expect(stems[0] != nil && Set(stems).count == 1, "\(stems)")
    }

    @Test("Words with digits or letters other than a to z have no stem")
    func others() {
        for word in ["chip9", "380", "собака", "ß", "canì"] { #expect(word.stem == nil, "\(word)") }
        #expect("".stem == "" && "a".stem == "a")
    }

    @Test("The stems of a text are those that differ from the word, each once")
    func text() {
        #expect("cani e cane can 42 gatti".stems == ["can", "gatt"])
        #expect("".stems == [])
    }

    @Test("A word may have its stem")
    func beginnings() throws {
        let letters = Array("abcdefghijklmnopqrstuvwxyz")
        for first in letters {
            for second in letters {
                for end in [
                    "", "e", "o", "i", "es", "ed", "ss", "sses", "y", "ing", "ied", "es", "ando", "issimo", "mente",
                    "azione", "ly", "arlo",
                ] {
                    let word = "\(first)\(second)\(end)"
                    #expect(Stemmer.mayBeStem(try #require(word.stem).utf8, of: word.utf8), "\(word)")
                }
            }
        }
        for word in ["dying", "lying", "skies", "a", ""] {
            #expect(Stemmer.mayBeStem(try #require(word.stem).utf8, of: word.utf8), "\(word)")
        }
        #expect(!Stemmer.mayBeStem("can".utf8, of: "cubo".utf8) && !Stemmer.mayBeStem("can".utf8, of: "c".utf8))
    }

    @Test("Words of real texts may have their stems", arguments: RealTexts.files)
    func realWords(file: URL) throws {
        for word in Set(try String(contentsOf: file, encoding: .utf8).folded.split(separator: " ")) {
            guard let stem = word.stem else { continue }
            #expect(Stemmer.mayBeStem(stem.utf8, of: word.utf8), "\(word): \(stem)")
        }
    }

    @Test("Threads that stem at the same time do not disturb each other")
    func threads() async {
        let words = ["cani", "gatti", "macchie", "bianche", "smarrita", "puppies", "collars"]
        let wanted = words.map(\.stem)
        await withTaskGroup(of: [String?].self) { group in
            for _ in 0..<64 {
                group.addTask { (0..<200).flatMap { _ in words.map(\.stem) } }
            }
            for await found in group { #expect(found == (0..<200).flatMap { _ in wanted }) }
        }
    }
}
