import Domain
import Foundation

/// The words by which people describe what they look for, in all languages. The tables are files, one for each language.
struct SearchWords: Sendable {
    enum Kind: String {
        case species, status, sex, size, age, mixed
        /// Words for the coat, which lead to its colour.
        case coat
        /// The breeds that a word for several means, by their keys.
        case breeds
        /// Words before the name of an animal.
        case name
        /// What stands between a thing and its colour.
        case material
        /// Things and parts of the body, whose colour is not that of the coat.
        case thing
        /// Colours that only things have.
        case tint
        /// Words that name no breed on their own, though they occur in names.
        case plain
        case joint
        case near, within, unit, from, province
        case `in`
        case nearBehind = "near-behind"
        case inBehind = "in-behind"
        case provinceBehind = "province-behind"
        /// Words that say nothing.
        case empty
    }

    /// A row of a table with one of its phrases.
    struct Entry: Sendable {
        let kind: Kind
        let value: String
        /// Whether the phrase is English. In English the colour of a thing stands before it, in Italian behind it.
        let isEnglish: Bool
    }

    /// The entries of each folded phrase.
    let entries: [String: [Entry]]
    /// Phrases that mean the same; the first one of each names them.
    let synonyms: [[String]]

    static let shared = SearchWords()

    private init() {
        var entries: [String: [Entry]] = [:]
        for file in ["words-en", "words-it"] {
            for row in Bundle.module.table(file).rows {
                guard let kind = Kind(rawValue: String(row[0])) else { preconditionFailure("\(file).tsv: \(row[0])") }
                for phrase in row[2].split(separator: "|") {
                    entries[String(phrase), default: []].append(
                        Entry(kind: kind, value: String(row[1]), isEnglish: file == "words-en"))
                }
            }
        }
        for word in BreedReader.mixedWords where entries[word]?.contains(where: { $0.kind != .plain }) != true {
            entries[word, default: []].append(Entry(kind: .mixed, value: "-", isEnglish: false))
        }
        self.entries = entries
        synonyms = Bundle.module.table("synonyms").rows.map { $0[0].split(separator: "|").map(String.init) }
    }

    func entries(_ phrase: String, _ kind: Kind) -> [Entry] { entries[phrase]?.filter { $0.kind == kind } ?? [] }
}
