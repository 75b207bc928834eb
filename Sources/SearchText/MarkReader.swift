package import Domain

/// Reads marks: things and their colours ("collare di colore rosso"), and words that mean the same ("zoppica", "limping").
///
/// A mark is named by the first phrases of its rows in `synonyms.tsv`. Searches and the texts of listings are read alike, so a
/// listing has the mark as a facet, in whichever words it tells it.
package struct MarkReader: Sendable {
    package static let shared = MarkReader()

    private let colours = ColourReader()
    /// The names of the marks that a phrase means.
    private let marks: PhraseTable<[String]>
    /// The names of colours that other words mean as well: "rosso" for "red".
    private let colourNames: PhraseTable<String>
    private let things: PhraseTable<Bool>
    private let tints: PhraseTable<String>
    private let ages: PhraseTable<String>
    /// Words that may stand within a mark: "il pelo molto lungo", "la punta dell'orecchio".
    private static let intensifiers: Set<String> = [
        "molto", "tanto", "abbastanza", "leggermente", "completamente", "un", "una", "il", "lo", "la", "l", "del",
        "della", "dell",
        "very", "really", "quite", "slightly", "the",
    ]
    /// The part of each text that is read, in Unicode scalars and in words.
    private static let (maxLength, maxWords) = (1_500, 250)

    private init() {
        var marks: [String: [String]] = [:]
        var colourNames: [String: String] = [:]
        for row in SearchWords.shared.synonyms {
            let isTint = !SearchWords.shared.entries(row[0], .tint).isEmpty
            let isColour = isTint || colours.colours(ofPhrase: row[0]) != nil
            for phrase in row {
                if isColour {
                    colourNames[phrase] = row[0]
                } else {
                    let words = Self.telling(phrase.split(separator: " ").map(String.init))
                    marks[words.joined(separator: " "), default: []].append(row[0])
                }
            }
        }
        self.marks = PhraseTable(marks)
        self.colourNames = PhraseTable(colourNames)
        func table<Value>(_ kind: SearchWords.Kind, _ value: (String, SearchWords.Entry) -> Value) -> PhraseTable<Value>
        {
            PhraseTable(
                SearchWords.shared.entries.compactMapValues { $0.first { $0.kind == kind } }
                    .reduce(into: [:]) { $0[$1.key] = value($1.key, $1.value) })
        }
        things = table(.thing) { $1.isEnglish }
        tints = table(.tint) { phrase, _ in phrase }
        ages = table(.age) { $1.value }
    }

    /// Returns the facets of marks and ages in texts: `mark:collare rosso`, `age:senior`.
    package func facets(in texts: [String]) -> Set<String> {
        var facets: Set<String> = []
        for text in texts {
            let words = text.foldedWords(maxLength: Self.maxLength, maxCount: Self.maxWords)
            var rest = Self.telling(words)[...]
            // Marks overlap: "senza coda" tells of a tail.
            while !rest.isEmpty {
                if let found = thingWithColour(rest) { facets.insert("mark:" + found.mark) }
                if let found = marks.longest(rest) { facets.formUnion(found.value.map { "mark:" + $0 }) }
                if let found = ages.longest(rest.prefix(1)) { facets.insert("age:" + found.value) }
                rest.removeFirst()
            }
        }
        return facets
    }

    private static func telling(_ words: [String]) -> [String] { words.filter { !intensifiers.contains($0) } }

    /// Returns the names of the marks that the words mean, all of them.
    func marks(_ words: ArraySlice<String>) -> [String]? {
        let telling = Self.telling(Array(words))
        return marks.longest(telling[...]).flatMap { $0.length == telling.count ? $0.value : nil }
    }

    var maxPhraseWords: Int { marks.maxWords + 2 }

    /// Returns a thing with its colour at the beginning: "collare rosso", "collare di colore rosso", "red collar". In English the
    /// colour stands before the thing, in Italian behind it.
    func thingWithColour(_ words: ArraySlice<String>) -> (mark: String, length: Int)? {
        if let thing = things.longest(words.prefix(1)) {
            var behind = words.dropFirst(thing.length)
            while let skipped = lead(behind) { behind = behind.dropFirst(skipped) }
            guard let colour = colour(behind) else { return nil }
            return (name(words) + " " + colour.name, behind.startIndex + colour.length - words.startIndex)
        }
        guard let colour = colour(words), case let behind = words.dropFirst(colour.length),
            let thing = things.longest(behind.prefix(1)),
            thing.value || self.colour(behind.dropFirst(thing.length)) == nil
        else { return nil }
        return (name(behind) + " " + colour.name, colour.length + thing.length)
    }

    /// The name of the thing at the beginning.
    private func name(_ words: ArraySlice<String>) -> String {
        let thing = words.first ?? ""
        return marks.longest(words.prefix(1))?.value.first ?? thing.stem ?? thing
    }

    /// Returns a colour at the beginning, one of coats or another: "verde".
    private func colour(_ words: ArraySlice<String>) -> (name: String, length: Int)? {
        if let tint = tints.longest(words.prefix(1)) {
            return (colourNames.longest(words.prefix(1))?.value ?? tint.value, 1)
        }
        return colours.longestPhrase(words).map { found, length in
            (colourNames.longest(words.prefix(length))?.value ?? found.sorted().joined(separator: " "), length)
        }
    }

    /// Returns the number of words between a thing and its colour at the beginning: "di colore", "in".
    private func lead(_ words: ArraySlice<String>) -> Int? {
        (1...3).reversed().first { length in
            guard length <= words.count else { return false }
            let phrase = words.prefix(length).joined(separator: " ")
            return [.coat, .material].contains { !SearchWords.shared.entries(phrase, $0).isEmpty }
        }
    }
}

/// Phrases with values, found also with other endings of their words.
struct PhraseTable<Value: Sendable>: Sendable {
    private let exact: [String: Value]
    private let byStems: [String: Value]
    /// The stems with which phrases begin, so that most words cost one look-up.
    private let first: Set<String>
    let maxWords: Int

    /// In letters: short words have the stems of others by chance: the name Bella that of "bell".
    private static var minInflected: Int { 5 }

    init(_ values: [String: Value]) {
        exact = values
        byStems = Dictionary(
            values.sorted { $0.key < $1.key }.filter { $0.key.utf8.count >= Self.minInflected }
                .map { (Self.stems($0.key), $0.value) }
        ) { first, _ in first }
        first = Set((Array(exact.keys) + byStems.keys).compactMap { $0.split(separator: " ").first.map(String.init) })
        maxWords = values.keys.map { $0.split(separator: " ").count }.max() ?? 1
    }

    /// Returns the value of the longest phrase at the beginning of the words.
    func longest(_ words: ArraySlice<String>) -> (value: Value, length: Int)? {
        guard let word = words.first, first.contains(word) || first.contains(Self.stems(word)) else { return nil }
        for length in stride(from: min(words.count, maxWords), to: 0, by: -1) {
            let phrase = words.prefix(length).joined(separator: " ")
            if let value = exact[phrase] ?? (phrase.utf8.count >= Self.minInflected ? byStems[Self.stems(phrase)] : nil)
            {
                return (value, length)
            }
        }
        return nil
    }

    private static func stems(_ phrase: String) -> String {
        phrase.split(separator: " ").map { $0.utf8.count < 3 ? String($0) : $0.stem ?? String($0) }.joined(
            separator: " ")
    }
}
