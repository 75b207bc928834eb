package import Domain

/// The meaning of the words of a search.
package struct SearchReading: Equatable, Sendable {
    /// The meaning of one or more neighbouring words.
    package enum Meaning: Equatable, Sendable {
        case species(Species)
        case statuses([Listing.Status])
        case sex(Listing.Sex)
        case size(Listing.Size)
        case age(Age)
        /// Animals of one of these breeds and types, by their keys.
        case breeds([String])
        case cross
        /// Colours by their names in `ColourReader`.
        case colours(Set<String>, ColourMatch)
        case area(NamedArea)
        case microchip(Microchip)
        /// The code of a listing.
        case code(ListingCode)
        /// The folded name of an animal.
        case name(String)
        /// Marks by their names in `MarkReader`, of which one is enough.
        case marks([String])
        /// Words that texts contain, folded.
        case text(String)
    }

    /// Which of the colours a coat has.
    package enum ColourMatch: Sendable {
        case all
        case any
        /// All of them and no other.
        case exactly
    }

    package enum Age: String, CaseIterable, Sendable {
        case puppy
        case senior
    }

    package struct Part: Equatable, Sendable {
        package let meaning: Meaning
        /// The words as they were typed.
        package let words: String
        /// The words that were read in place of misspelt ones; nil if all were read as they were typed.
        package let corrected: String?
        /// The positions of the words in `tokens`.
        package let range: Range<Int>
    }

    /// Returns the reading of a text that is the code of a listing.
    package static func code(_ code: ListingCode, typed text: String) -> SearchReading {
        let tokens = SearchToken.tokens(of: text, [:])
        let words = tokens.map(\.text).joined(separator: " ")
        var reading = SearchReading(tokens: tokens)
        reading.parts = [Part(meaning: .code(code), words: words, corrected: nil, range: tokens.indices)]
        return reading
    }

    /// Returns the runs of words that may be an address, the longest first: the whole text, and that without the words about
    /// animals. There are none if a word is quoted.
    package var addressTexts: [(words: String, range: Range<Int>)] {
        guard !tokens.contains(where: \.isQuoted) else { return [] }
        let named = parts.filter(\.mayBeAddress).map(\.range)
        var runs = [tokens.indices]
        if let first = named.first, let last = named.last { runs.append(first.lowerBound..<last.upperBound) }
        let isFree = { (run: Range<Int>) in parts.allSatisfy { !run.overlaps($0.range) || named.contains($0.range) } }
        return runs.enumerated().compactMap { index, run in
            // A single word is rather the name of an animal or a town.
            guard run.count > 1, index == 0 || run != tokens.indices && isFree(run) else { return nil }
            return (text { run.contains($0) ? tokens[$0].text : nil }, run)
        }
    }

    /// Returns the reading in which a run of words is an address.
    package func reading(_ range: Range<Int>, as address: NamedArea) -> SearchReading {
        let words = text { range.contains($0) ? tokens[$0].text : nil }
        let part = Part(meaning: .area(address), words: words, corrected: nil, range: range)
        var reading = self
        reading.parts.removeAll { $0.range.overlaps(range) }
        reading.parts.append(part)
        reading.parts.sort { $0.range.lowerBound < $1.range.lowerBound }
        return reading
    }

    /// The folded words without a known meaning that may be misspelt, in the order of the text.
    package var unknownWords: [String] {
        parts.compactMap { part in
            let token = tokens[part.range.lowerBound]
            guard part.range.count == 1, !token.isQuoted, token.folded.utf8.count >= SearchVocabulary.minMisspeltLength,
                token.folded.utf8.allSatisfy((UInt8(ascii: "a")...UInt8(ascii: "z")).contains)
            else { return nil }
            switch part.meaning {
            case .text: return token.folded
            // Marone is a town as well.
            case .area(let area) where area.isBare: return token.folded
            default: return nil
            }
        }
    }

    /// The name of the only town or area.
    package var place: String? {
        let names = parts.compactMap { if case .area(let area) = $0.meaning { area.name } else { nil } }
        return names.count == 1 ? names[0] : nil
    }

    /// Whether a word was read as the name of a town.
    package func isTown(_ word: String) -> Bool {
        parts.contains { part in
            guard case .area = part.meaning else { return false }
            return part.range.count == 1 && tokens[part.range.lowerBound].folded == word
        }
    }

    /// In the order of the text. Words that say nothing belong to no part.
    package internal(set) var parts: [Part] = []
    let tokens: [SearchToken]

    /// Returns the text without the words of a part, for a link that removes it, and without those that say nothing.
    package func text(without part: Part) -> String {
        text(of: parts.filter { $0.range != part.range })
    }

    /// Returns the text in which the words of a part are quoted, so that they are searched as plain words.
    package func text(quoting part: Part) -> String {
        text { index in
            let typed = tokens[index].typed
            guard part.range.contains(index) else { return typed }
            return (index == part.range.lowerBound ? "\"" : "") + tokens[index].text
                + (index == part.range.upperBound - 1 ? "\"" : "")
        }
    }

    /// Returns the text in which other words take the place of those of a part.
    package func text(replacing part: Part, with words: String) -> String {
        text { index in
            part.range.contains(index) ? index == part.range.lowerBound ? words : nil : tokens[index].typed
        }
    }

    /// Returns the words of some parts alone.
    package func text(of parts: [Part]) -> String {
        text { index in parts.contains { $0.range.contains(index) } ? tokens[index].typed : nil }
    }

    /// The words that were read in place of misspelt ones.
    package var corrections: [String: String] {
        Dictionary(tokens.filter(\.isCorrected).map { ($0.text.folded, $0.folded) }) { first, _ in first }
    }

    private func text(_ word: (Int) -> String?) -> String {
        tokens.indices.compactMap(word).joined(separator: " ")
    }
}

extension SearchReading.Part {
    /// Whether the words can be those of an address, which are plain words, names and towns.
    fileprivate var mayBeAddress: Bool {
        switch meaning {
        case .text, .name, .area: true
        default: false
        }
    }
}

/// A town or an area as searches name it.
package struct NamedArea: Equatable, Sendable {
    /// The name in the gazetteer.
    package let name: String
    package let level: Place.Level
    /// The folded names by which listings are in it.
    package let places: Set<String>
    package let countryCode: String?
    package let centre: Coordinate
    /// In metres, around the centre: for "near Eboli" and "within 10 km of Eboli".
    package var radius: Double?
    /// Whether no word before the name says that it is one of a place. Texts that contain the words fit as well then,
    /// because many names of animals are those of towns.
    package var isBare = false
    /// A box around all listings in the area; nil if the borders are unknown.
    package var extent: BoundingBox?

    /// A street, house or landmark.
    package init(address name: String, at position: Coordinate) {
        (self.name, centre, level, places, countryCode) = (name, position, .locality, [], nil)
    }
}

/// A word of a search.
struct SearchToken: Equatable, Sendable {
    /// The word that is read.
    var folded: String
    /// As it was typed, without what separates words.
    let text: String
    var isQuoted = false
    var isCorrected = false

    /// As the text of a search has it.
    var typed: String { isQuoted ? "\"\(text)\"" : text }
}

extension SearchToken {
    private static let maxCount = 40

    /// Returns the words of a text. Words between double quotation marks are quoted.
    ///
    /// - Parameter corrections: what is read in place of folded words.
    static func tokens(of text: String, _ corrections: [String: String]) -> [SearchToken] {
        tokens(of: text).map { token in
            guard !token.isQuoted, let word = corrections[token.folded] else { return token }
            var token = token
            (token.folded, token.isCorrected) = (word, true)
            return token
        }
    }

    private static func tokens(of text: String) -> [SearchToken] {
        var tokens: [SearchToken] = []
        var word = String.UnicodeScalarView()
        var isQuoted = false
        func end() {
            let text = String(word)
            word.removeAll()
            // A letter can fold to nothing, and a ligature to several words.
            for folded in text.folded.split(separator: " ") where tokens.count < maxCount {
                tokens.append(SearchToken(folded: String(folded), text: text, isQuoted: isQuoted))
            }
        }
        for scalar in text.unicodeScalars {
            if scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || scalar.properties.generalCategory == .nonspacingMark
            {
                word.append(scalar)
                continue
            }
            end()
            if scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}" || scalar == "\u{AB}"
                || scalar == "\u{BB}"
            {
                isQuoted.toggle()
            }
        }
        end()
        return tokens
    }
}
