import Domain
import SearchText

/// The words of a message with what they can be. A phrase of the tables is one word.
struct RequestText: Sendable {
    struct Word: Sendable {
        let text: String
        var signs: RequestSigns
        /// The words of the same clause. Clauses end at punctuation marks and before "but".
        var clause = 0..<0
        /// The value, without decimals; nil if the word is no number in digits.
        let number: Int?
    }

    /// In words: how far a denial reaches.
    private static let denialReach = 5
    /// In words: how far a refusal reaches in its clause, before and behind it.
    private static let reach = 14

    private(set) var words: [Word] = []

    init(_ text: String) {
        for clause in Self.clauses(of: text) {
            var start = words.count
            var rest = clause.folded.stemmedWords[...]
            while let word = rest.first {
                let found = RequestWords.shared.table.longest(rest)
                let read = Self.read(word.text, as: found?.value)
                if read.signs.contains(.but) { end(&start) }
                words.append(read)
                rest = rest.dropFirst(found?.length ?? 1)
            }
            end(&start)
        }
        words = words(with: { isDenied($0) ? .denied : [] })
        words = words(with: { refuses($0) ? .refusal : [] })
        words = words(with: { clause($0, -Self.reach..<Self.reach).hasAny(.refusal) ? .refused : [] })
        words = words(with: requests)
    }

    private mutating func end(_ start: inout Int) {
        for index in start..<words.count { words[index].clause = start..<words.count }
        start = words.count
    }

    private static func read(_ word: String, as found: RequestSigns?) -> Word {
        var signs = found ?? RequestWords.shared.signs(ofVerb: word)
        if signs.hasAny([.give, .tell]), RequestWords.shared.hasPronounOfWriter(word) { signs.insert(.me) }
        let digits = word.prefix { $0.isASCII && $0.isNumber }
        guard !digits.isEmpty else { return Word(text: word, signs: signs, number: nil) }
        let unit = String(word.dropFirst(digits.count))
        if unit.isEmpty {
            signs.insert(.number)
        } else if RequestWords.shared.table.longest(unit.stemmedWords[...])?.value.contains(.currency) == true {
            signs.formUnion([.number, .currency])
        }
        return Word(text: word, signs: signs, number: digits.first == "0" ? nil : Int(digits))
    }

    // MARK: - Denials

    private func words(with signs: (Int) -> RequestSigns) -> [Word] {
        words.indices.map { index in
            var word = words[index]
            word.signs.formUnion(signs(index))
            return word
        }
    }

    /// Returns all signs of the words at these distances in the same clause.
    private func clause(_ index: Int, _ distances: Range<Int>) -> RequestSigns {
        words[index].clause.clamped(to: index + distances.lowerBound..<index + distances.upperBound)
            .reduce(into: []) { $0.formUnion(words[$1].signs) }
    }

    private func isDenied(_ index: Int) -> Bool {
        for before in words[index].clause.clamped(to: index - Self.denialReach..<index).reversed() {
            let signs = words[before].signs
            if signs.hasAny([.unless, .ifNot, .and]) { return false }
            if signs.hasAny(.not) { return true }
            if signs.hasAny(.without) { return !isCondition(before) }
        }
        return false
    }

    /// Whether "without" states a condition: another denial or a threat follows.
    private func isCondition(_ index: Int) -> Bool {
        words[index + 1..<min(words.count, index + Self.reach)].contains { $0.signs.hasAny([.not, .threat]) }
    }

    private func refuses(_ index: Int) -> Bool {
        let signs = words[index].signs
        return signs.hasAny(.refuse) || signs.hasAny(.want) && clause(index, -3..<0).hasAny(.not)
    }

    // MARK: - Requests

    /// Returns what the writer asks the reader to do with this word.
    private func requests(_ index: Int) -> RequestSigns {
        let signs = words[index].signs
        let isNeed = signs.hasAny([.need, .ifNot])
        guard isNeed || signs.hasAny([.give, .tell, .forward]), !signs.hasAny(.refused),
            signs.hasAny(.ifNot) || !signs.hasAny(.denied), isNeed || isForWriter(index) || isImperative(index)
        else { return [] }
        var requests: RequestSigns = []
        if isNeed || signs.hasAny(.tell) { requests.insert(.asksToTell) }
        if isNeed || signs.hasAny(.forward) { requests.insert(.asksToForward) }
        if isNeed || signs.hasAny(.give), !clause(index, 0..<4).hasAny(.object) { requests.insert(.asksToGive) }
        return requests
    }

    private func isForWriter(_ index: Int) -> Bool { clause(index, -2..<4).hasAny(.me) }

    private func isImperative(_ index: Int) -> Bool {
        let word = words[index]
        if clause(index, -4..<0).hasAny(.modal) { return true }
        // The Italian second person, which asks wherever it stands: "lo compri".
        if word.text.hasSuffix("i") { return true }
        guard !["ed", "ing", "o"].contains(where: word.text.hasSuffix) else { return false }
        return index == word.clause.lowerBound || words[index - 1].signs.hasAny([.and, .but, .unless])
    }

    // MARK: - Clauses

    /// Splits a text at punctuation marks. Decimals and minutes are left out, and signs of currencies become words.
    private static func clauses(of text: String) -> [String] {
        var clauses = [""]
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if let currency = currencies[scalar] {
                clauses[clauses.count - 1] += " \(currency) "
            } else if separators.contains(scalar) {
                guard let digits = digits(after: scalar, rest, behind: clauses.last) else {
                    clauses.append("")
                    continue
                }
                if digits.count == 3 { clauses[clauses.count - 1] += String(digits) }
                rest = rest[digits.endIndex...]
            } else {
                clauses[clauses.count - 1].unicodeScalars.append(scalar)
            }
        }
        return clauses
    }

    /// Returns the digits between which a separator stands, behind it.
    private static func digits(
        after separator: Unicode.Scalar,
        _ rest: Substring.UnicodeScalarView,
        behind clause: String?
    ) -> Substring.UnicodeScalarView? {
        guard numeric.contains(separator), let last = clause?.unicodeScalars.last, isDigit(last) else { return nil }
        let digits = rest.prefix(while: isDigit)
        return digits.isEmpty ? nil : digits
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static let numeric: Set<Unicode.Scalar> = [".", ",", ":"]
    private static let separators: Set<Unicode.Scalar> = [
        ".", ",", ":", ";", "!", "?", "(", ")", "\n", "\u{2013}", "\u{2014}", "\u{2026}",
    ]
    private static let currencies: [Unicode.Scalar: String] = ["€": "euro", "$": "dollars", "£": "pounds"]
}
