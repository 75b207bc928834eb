import Domain
import Foundation
import Gazetteer
import Geodata
import MessageWarnings
import SearchText

/// What people type into the search field, and write to each other.
let writtenTextParsers: [Parser] = [
    Parser(
        name: "search text",
        seeds: texts(
            "cane nero eboli", "ho perso il mio labrador a Eboli", "gatta tigrata collare di colore rosso",
            "entro 10 km da Castellammare di Stabia", "si chiama Bianca \"plain words\" 380 260 000 123 456",
            "black and white dog near San Giovanni Rotondo (FG)"
        ),
        words: [
            "vicino a ", "\"", "entro ", "km da ", "di ", " e ", " o ", "collare ", "nero ", "SA", "\u{301}", "san ",
        ],
        read: { bytes in
            let text = String(String(decoding: bytes, as: UTF8.self).prefix(200))
            let reading = try searchTexts.read(text)
            // Two parts are enough: each is read twice more, and a short run shall pass many inputs.
            for part in reading.parts.prefix(2) {
                precondition(!part.words.isEmpty, "a part without words")
                _ = try searchTexts.read(reading.text(without: part))
                _ = try searchTexts.read(reading.text(quoting: part))
            }
            _ = reading.unknownWords.map(SearchVocabulary.shared(searchBreeds).correction)
        }
    ),
    Parser(
        name: "message text",
        seeds: texts(
            "Ti ho mandato un codice per sms, dimmelo", "I don't want any money, but I need 1.000 € for the vet",
            "Senza un acconto non mi muovo", "No cash, no dog. www.evil.example", "200euro prima, 17:30 in via Roma 12"
        ),
        words: [
            " non ", " without ", "mandami ", "melo", " 50 ", "€", ",", ".", "\u{200B}", "\u{301}", " ma ", "se non ",
            "\n",
        ],
        read: { bytes in
            // The length of a message.
            let text = String(decoding: bytes, as: UTF8.self).beginning(4000)
            _ = MessageWarning(in: text, host: "dogs.example.org")
        }
    ),
]

private let searchBreeds: Breeds = {
    guard let data = try? Data(contentsOf: Geodata.directory.appending(path: "breeds.tsv")),
        let breeds = try? Breeds(tsv: data)
    else { preconditionFailure("breeds.tsv cannot be read") }
    return breeds
}()

private let searchTexts: SearchTextReader = {
    guard let gazetteer = try? Gazetteer(directory: Geodata.directory) else {
        preconditionFailure("the gazetteer cannot be read")
    }
    return SearchTextReader(.shared(searchBreeds), finder: gazetteer, language: .italian)
}()
