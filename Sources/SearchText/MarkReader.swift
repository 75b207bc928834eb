import Domain

/// Reads marks: things and their colours ("collare di colore rosso"), and words that mean the same ("zoppica", "limping").
///
/// The rows of `synonyms.tsv` name marks. Searches and the texts of listings are read alike, so a
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
    /// Nil for words that are ages only in some languages.
    private let ages: PhraseTable<String?>
    /// Words that may stand within a mark: "il pelo molto lungo", "la punta dell'orecchio".
    private static let intensifiers = SearchWords.shared.intensifiers
    static let maxIntensifiers = 2
    /// The part of each text that is read, in Unicode scalars and in words.
    private static let (maxLength, maxWords) = (1_500, 250)

    private init() {
        var marks: [String: [String]] = [:]
        var colourNames: [String: String] = [:]
        func telling(_ phrase: String) -> String {
            phrase.split(separator: " ").map(String.init).filter(Self.isTelling).joined(separator: " ")
        }
        for (name, phrases) in SearchWords.shared.synonyms {
            let isTint = !SearchWords.shared.entries(name, .tint).isEmpty
            let isColour = isTint || colours.colours(ofPhrase: name) != nil
            for phrase in phrases {
                if isColour {
                    colourNames[phrase] = colourNames[phrase] ?? name
                } else if marks[telling(phrase)]?.contains(name) != true {
                    marks[telling(phrase), default: []].append(name)
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
        things = table(.thing) { $1.language?.properties.coloursPrecede ?? false }
        tints = table(.tint) { phrase, _ in phrase }
        ages = table(.age) { phrase, entry in
            SearchWords.shared.entries[phrase, default: []].agree(on: .age) ? entry.value : nil
        }
    }

    /// Returns the facets of marks and ages in texts: `mark:collare rosso`, `age:senior`.
    package func facets(in texts: [String]) -> Set<String> {
        var facets: Set<String> = []
        for text in texts {
            let words = text.foldedWords(maxLength: Self.maxLength, maxCount: Self.maxWords)
            var rest = words.filter(Self.isTelling).map(StemmedWord.init)[...]
            // Marks overlap: "senza coda" tells of a tail.
            while !rest.isEmpty {
                if let found = thingWithColour(rest) { facets.insert("mark:" + found.mark) }
                if let found = marks.longest(rest) { facets.formUnion(found.value.map { "mark:" + $0 }) }
                if let age = ages.longest(rest.prefix(1))?.value { facets.insert("age:" + age) }
                rest.removeFirst()
            }
        }
        return facets
    }

    /// The phrases for marks.
    var phrases: [String] { marks.phrases }

    private static func isTelling(_ word: String) -> Bool { !intensifiers.contains(word) }

    /// Returns the names of the marks that the words mean, all of them. The first word has to say something.
    func marks(_ words: ArraySlice<StemmedWord>) -> [String]? {
        guard let first = words.first, Self.isTelling(first.text) else { return nil }
        return marks[words.filter { Self.isTelling($0.text) }[...]]
    }

    /// Returns a thing with its colour at the beginning: "collare rosso", "collare di colore rosso", "red collar". In some languages
    /// the colour stands before the thing, in others behind it.
    func thingWithColour(_ words: ArraySlice<StemmedWord>) -> (mark: String, length: Int)? {
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
    private func name(_ words: ArraySlice<StemmedWord>) -> String {
        marks[words.prefix(1)]?.first ?? words.prefix(1).stems
    }

    /// Returns a colour at the beginning, one of coats or another: "verde".
    private func colour(_ words: ArraySlice<StemmedWord>) -> (name: String, length: Int)? {
        if let tint = tints.longest(words.prefix(1)) {
            return (colourNames.longest(words.prefix(1))?.value ?? tint.value, 1)
        }
        guard let (found, length) = colours.longestPhrase(words.lazy.map(\.text)) else { return nil }
        return (colourNames.longest(words.prefix(length))?.value ?? found.sorted().joined(separator: " "), length)
    }

    /// Returns the number of words between a thing and its colour at the beginning: "di colore", "in".
    private func lead(_ words: ArraySlice<StemmedWord>) -> Int? {
        (1...SearchWords.shared.longest).reversed().first { length in
            guard length <= words.count else { return false }
            let phrase = words.prefix(length).phrase
            return [.coat, .material].contains { !SearchWords.shared.entries(phrase, $0).isEmpty }
        }
    }
}
