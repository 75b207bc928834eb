package import Domain

/// Reads what people type into the search field: "cane nero eboli".
///
/// The longest phrase at each word wins. Of phrases of one length, words of the tables come first, then names of breeds,
/// colours, marks, words of breeds' names, and places. All languages are read; of a word that means something in the
/// language of the search, only that counts.
package struct SearchTextReader: Sendable {
    private let vocabulary: SearchVocabulary
    let finder: any PlaceFinder
    package let language: Language

    /// - Parameter language: in which places are named.
    package init(_ vocabulary: SearchVocabulary, finder: any PlaceFinder, language: Language) {
        (self.vocabulary, self.finder, self.language) = (vocabulary, finder, language)
    }

    private var breeds: Breeds { vocabulary.breeds }
    private var colours: ColourReader { vocabulary.colours }

    /// Reads the words of a text. Text of any kind is accepted; words behind the first 40 are not read.
    ///
    /// - Parameter corrections: what is read in place of folded words.
    /// - Throws: errors of the database of places.
    package func read(_ text: String, corrections: [String: String] = [:]) throws -> SearchReading {
        var scan = Scan(tokens: SearchToken.tokens(of: text, corrections))
        while scan.position < scan.tokens.count { try takeNext(&scan) }
        return scan.reading
    }

    /// Returns the town or area that a text names, and nothing else: "zona Eboli", "Eboli (SA)", "provincia di Salerno".
    package func area(named text: String) throws -> NamedArea? {
        let parts = try read(text).parts
        guard parts.count == 1, case .area(let area) = parts[0].meaning else { return nil }
        return area
    }

    /// Returns the folded name of a town that differs from a word in one letter.
    package func similarTown(to word: String) throws -> String? {
        guard case .unclear(let similar) = try finder.town(named: word, language: language) else { return nil }
        let letters = Array(word.utf8)
        return similar.lazy.compactMap { $0.name?.folded }.first { isOneEdit(letters, Array($0.utf8)) }
    }

    /// The state of reading one text.
    struct Scan {
        let tokens: [SearchToken]
        let words: [StemmedWord]
        var position = 0
        var reading: SearchReading
        /// The joint between the last part and the next word: "and", "or", or nil where there is another word.
        var joint: String?
        /// Places are looked up in the gazetteer, which costs more than all else.
        var lookups = 0

        init(tokens: [SearchToken]) {
            self.tokens = tokens
            words = tokens.map { StemmedWord($0.folded) }
            reading = SearchReading(tokens: tokens)
        }

        var rest: ArraySlice<StemmedWord> {
            let end = tokens[position...].firstIndex(where: \.isQuoted) ?? tokens.count
            return words[position..<max(end, position)]
        }

        mutating func add(_ meaning: SearchReading.Meaning, _ range: Range<Int>) {
            let typed = tokens[range].map(\.text).joined(separator: " ")
            let isCorrected = tokens[range].contains(where: \.isCorrected)
            let read = isCorrected ? tokens[range].map(\.folded).joined(separator: " ") : nil
            reading.parts.append(SearchReading.Part(meaning: meaning, words: typed, corrected: read, range: range))
            position = max(position, range.upperBound)
            joint = nil
        }
    }

    private func takeNext(_ scan: inout Scan) throws {
        guard !scan.tokens[scan.position].isQuoted else { return takeQuoted(&scan) }
        if takeMicrochip(&scan) || takeName(&scan) { return }
        if try takeCodedPlace(&scan) { return }
        let phrase = phrase(scan.rest, isExact: true)
        // "Città di Castello" is no castle in a town.
        if try takePlace(&scan, longerThan: max(phrase?.length ?? 0, 1)) { return }
        if try takeMarkedPlace(&scan) { return }
        if takeThing(&scan) { return }
        // Bologna is no other form of Bolognese.
        if phrase == nil, try takePlace(&scan, longerThan: 0) { return }
        if let phrase = phrase ?? self.phrase(scan.rest) { return take(phrase, &scan) }
        scan.add(.text(scan.words[scan.position].text), scan.position..<scan.position + 1)
    }

    private func takeQuoted(_ scan: inout Scan) {
        let end = scan.tokens[scan.position...].firstIndex { !$0.isQuoted } ?? scan.tokens.count
        let range = scan.position..<end
        scan.add(.text(scan.words[range].phrase), range)
    }

    /// Takes the word behind one that says that a name follows: "si chiama Bianca".
    private func takeName(_ scan: inout Scan) -> Bool {
        guard let length = startsWith(.name, scan.rest), scan.rest.count > length else { return false }
        let name = scan.words[scan.position + length].text
        scan.add(.name(name), scan.position..<scan.position + length + 1)
        return true
    }

    /// Takes a number of 15 digits, also with spaces between them. Other forms of chips are like other words.
    private func takeMicrochip(_ scan: inout Scan) -> Bool {
        var digits = ""
        for (count, word) in scan.rest.lazy.map(\.text).enumerated() {
            guard word.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
            digits += word
            guard digits.utf8.count < 15 else {
                guard digits.utf8.count == 15, let chip = try? Microchip(parsing: digits) else { return false }
                scan.add(.microchip(chip), scan.position..<scan.position + count + 1)
                return true
            }
        }
        return false
    }
}

// MARK: - Phrases

extension SearchTextReader {
    struct Phrase {
        enum Source {
            case entries([SearchWords.Entry])
            case breeds([String])
            case colours(Set<String>, SearchReading.ColourMatch)
            case marks([String])
        }

        let length: Int
        let source: Source
    }

    /// Returns the longest phrase with a meaning at the beginning of the words.
    ///
    /// - Parameter isExact: whether other forms of the words are left out.
    func phrase(_ words: ArraySlice<StemmedWord>, isExact: Bool = false) -> Phrase? {
        guard let first = words.first else { return nil }
        let most = min(words.count, vocabulary.maxLength(ofPhraseFrom: first))
        for length in stride(from: most, to: 0, by: -1) {
            let phrase = words.prefix(length)
            if let source = source(phrase) ?? (isExact ? nil : sourceLike(phrase)) {
                return Phrase(length: length, source: source)
            }
        }
        return nil
    }

    /// Returns the meaning of a phrase with the same stems.
    private func sourceLike(_ words: ArraySlice<StemmedWord>) -> Phrase.Source? {
        vocabulary.phrase(like: words).flatMap { source($0.stemmedWords[...]) }
    }

    private func source(_ words: ArraySlice<StemmedWord>) -> Phrase.Source? {
        let phrase = words.phrase
        if let entries = SearchWords.shared.entries[phrase], entries.contains(where: \.kind.isMeaning) {
            return .entries(entries)
        }
        if isBreed(words), !hasColourBeside(words), let keys = breedKeys(phrase),
            keys != [Self.commonCat] || colours.colours(ofPhrase: phrase) == nil
        {
            return .breeds(keys)
        }
        if let found = colours.colours(ofPhrase: phrase) {
            return .colours(
                found, colours.choices.contains(phrase) ? .any : colours.compounds.contains(phrase) ? .exactly : .all)
        }
        if let marks = MarkReader.shared.marks(words) { return .marks(marks) }
        if words.count == 1, breeds.isPartOfNames(phrase), SearchWords.shared.entries(phrase, .plain).isEmpty,
            let keys = breedKeys(phrase)
        {
            return .breeds(keys)
        }
        return nil
    }

    /// The breed of cats without one, of which some names are those of colours: "tabby".
    private static let commonCat = "domestic_cat"

    /// Whether the words are a colour beside the name of a breed or the word for an animal: "labrador nero", "black lab",
    /// "white dog". The colour is read by itself then, though some of these are names of breeds as well.
    private func hasColourBeside(_ words: ArraySlice<StemmedWord>) -> Bool {
        guard words.count > 1, let first = words.first, let last = words.last else { return false }
        if colours.colours(ofPhrase: last.text) != nil, isBreed(words.dropLast()) { return true }
        guard colours.colours(ofPhrase: first.text) != nil else { return false }
        let rest = words.dropFirst().phrase
        return !SearchWords.shared.entries(rest, .species).isEmpty
            || isBreed(words.dropFirst()) && breedKeys(rest) == breedKeys(words.phrase)
    }

    private func isBreed(_ words: ArraySlice<StemmedWord>) -> Bool { breeds.reader.isName(words.lazy.map(\.text)) }

    private func breedKeys(_ phrase: String) -> [String]? {
        let keys = breeds.group(named: phrase).breeds.map(\.key)
        return keys.isEmpty ? nil : keys
    }

    private func take(_ phrase: Phrase, _ scan: inout Scan) {
        let range = scan.position..<scan.position + phrase.length
        switch phrase.source {
        case .entries(let entries): take(entries, range, &scan)
        case .breeds(let keys): scan.add(keys == [Breed.mixedKey] ? .cross : .breeds(keys), range)
        case .colours(let found, let match): add(found, match, range, &scan)
        case .marks(let names): scan.add(.marks(names), range)
        }
    }

    private func take(_ entries: [SearchWords.Entry], _ range: Range<Int>, _ scan: inout Scan) {
        let meanings = meanings(of: entries)
        for meaning in meanings { scan.add(meaning, range) }
        guard meanings.isEmpty else { return }
        scan.joint = entries.first { $0.kind == .joint }?.value
        scan.position = range.upperBound
        // "Black coat" and "nero di pelo": words for the coat say nothing behind its colour, or before it.
        guard entries.contains(where: { $0.kind == .coat && $0.value == "hair" }), !isColour(scan.rest),
            !scan.reading.endsWithColours(at: range.lowerBound)
        else { return }
        scan.add(.text(scan.words[range].phrase), range)
    }

    /// Returns what words mean in the language of the search, or in all languages if they mean nothing in this one.
    private func meanings(of entries: [SearchWords.Entry]) -> [SearchReading.Meaning] {
        let own = entries.filter { $0.language == language && $0.meaning != nil }
        var meanings: [SearchReading.Meaning] = []
        for meaning in (own.isEmpty ? entries : own).compactMap(\.meaning) where !meanings.contains(meaning) {
            meanings.append(meaning)
        }
        return meanings
    }

    private func isColour(_ words: ArraySlice<StemmedWord>) -> Bool {
        if case .colours? = phrase(words)?.source { return true }
        return false
    }

    /// Joins colours to those before them: "bianco e nero".
    private func add(
        _ found: Set<String>,
        _ match: SearchReading.ColourMatch,
        _ range: Range<Int>,
        _ scan: inout Scan
    ) {
        guard let last = scan.reading.parts.last, case .colours(let known, let before) = last.meaning,
            last.range.upperBound == range.lowerBound
                || scan.joint != nil && last.range.upperBound + 1 == range.lowerBound,
            // "Bianco e beige" are two parts, because beige alone is a choice.
            scan.joint == "or" || before != .any && match != .any
        else { return scan.add(.colours(found, match), range) }
        // "Black or brown and white": the last colour is one more choice.
        let isOr = scan.joint == "or" || before == .any
        scan.reading.parts.removeLast()
        scan.add(.colours(known.union(found), isOr ? .any : .all), last.range.lowerBound..<range.upperBound)
    }

    /// Takes a thing with its colour: "collare rosso", "collare di colore rosso", "red collar". Both words are searched in the
    /// texts, because the colour is not that of the coat.
    private func takeThing(_ scan: inout Scan) -> Bool {
        guard let found = MarkReader.shared.thingWithColour(scan.rest) else { return false }
        scan.add(.marks([found.mark]), scan.position..<scan.position + found.length)
        return true
    }
}

extension SearchReading {
    fileprivate func endsWithColours(at index: Int) -> Bool {
        guard let last = parts.last, case .colours = last.meaning else { return false }
        return last.range.upperBound == index
    }
}

extension SearchWords.Kind {
    /// Whether the words have a meaning without others, or none at all. Other words only lead to a place.
    fileprivate var isMeaning: Bool {
        switch self {
        case .species, .breeds, .status, .sex, .size, .age, .mixed, .coat, .joint, .empty, .near: true
        case .thing, .tint, .plain, .name, .material, .within, .unit, .from, .province, .in, .nearBehind, .inBehind,
            .provinceBehind:
            false
        }
    }
}

extension SearchWords.Entry {
    var meaning: SearchReading.Meaning? {
        switch kind {
        case .species: Species(rawValue: value).map { .species($0) }
        case .status: .statuses(value.split(separator: " ").compactMap { Listing.Status(rawValue: String($0)) })
        case .sex: Listing.Sex(rawValue: value).map { .sex($0) }
        case .size: Listing.Size(rawValue: value).map { .size($0) }
        case .age: SearchReading.Age(rawValue: value).map { .age($0) }
        case .mixed: .cross
        case .breeds: .breeds(value.split(separator: " ").map(String.init))
        default: nil
        }
    }
}
