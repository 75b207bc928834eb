import Domain
import Foundation

/// The texts of the pages in one language, from `texts.json` in its folder.
package struct LocalizedStrings: Sendable {
    /// The texts nested as in the file, for templates.
    package let tree: [String: [String: String]]
    /// The texts for the scripts, as a JSON object that can be embedded in a `script` element.
    package let script: String
    private let flat: [String: String]

    /// - Parameter others: the texts that stand for those that the language does not have.
    init(_ language: Language, insteadOfMissing others: LocalizedStrings? = nil) throws {
        let data = Data(language.bytes(of: "texts.json"))
        try self.init(JSONDecoder().decode([String: [String: String]].self, from: data), insteadOfMissing: others)
    }

    package init(_ texts: [String: [String: String]], insteadOfMissing others: LocalizedStrings? = nil) throws {
        tree = texts.merging(others?.tree ?? [:]) { own, others in own.merging(others) { own, _ in own } }
        flat = Dictionary(
            uniqueKeysWithValues: tree.flatMap { group, words in words.map { ("\(group).\($0.key)", $0.value) } }
        )
        script = try JSONText(tree["script"] ?? [:]).text
    }

    /// Returns the text for a key such as `board.title` and fills in placeholders such as `{place}`. Returns the key if
    /// there is no such text.
    package func callAsFunction(_ key: String, _ blanks: KeyValuePairs<String, String> = [:]) -> String {
        guard !blanks.isEmpty else { return flat[key] ?? key }
        return blanks.reduce(flat[key] ?? key) { $0.replacing("{\($1.key)}", with: $1.value) }
    }

    package func has(_ key: String) -> Bool { flat[key] != nil }
}

/// A value as JSON that can be embedded in a `script` element: it cannot end the element or start a comment.
package struct JSONText {
    package let text: String

    package init(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        text = String(decoding: try encoder.encode(value), as: UTF8.self).replacing("<", with: "\\u003c")
    }
}
