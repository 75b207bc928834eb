import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Stems in SQL")
struct StemTests {
    private static let fixed = [
        "cane cani cagnolino cagnetta gatto gatti micia smarrito smarrita smarriti trovato trovarlo abbaiando timidissimo",
        "Perché l'ORECCHIO è così? Macchie biànche, zampe focate; collare-antipulci n. 380 chip9 2½",
        "puppies spotted running dying lying skis happily nationality collar's", "Собака Φίδος 犬 ŁÓDŹ", "", " - ",
    ]

    /// Lines of real texts, where they are at hand.
    private static let real = ["names/messages.csv", "names/breed_words_it.csv", "geo/animals/dog_names_frequency.csv"]
        .flatMap { path -> [String] in
            guard let text = try? String(contentsOf: SharedData.url(path), encoding: .utf8) else { return [] }
            return text.split(separator: "\n").map(String.init)
        }

    @Test("The function stems() of the database is that of the program")
    func function() async throws {
        let board = try await TestDatabase()
        for text in Self.fixed + Self.real {
            let found = try await board.database.read { db in try db.value("SELECT stems(?)", [text]) as String? }
            #expect(found == text.folded.stems.joined(separator: " "), "\(text)")
        }
        let joined = try await board.database.read { db in
            try db.value("SELECT stems('cani', NULL, 'gatti cani')") as String?
        }
        #expect(joined == "can gatt")
    }
}
