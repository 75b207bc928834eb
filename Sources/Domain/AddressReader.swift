import Foundation

/// A town with a street or landmark in it, as people write both into one field: "Via Roma 3, Fisciano".
package struct WrittenAddress: Equatable, Sendable {
    package let town: String
    package let whereabouts: String
}

/// Reads what may be an address. Only the gazetteer knows which words are a town.
package struct AddressReader: Sendable {
    package static let shared = AddressReader()

    /// Folded phrases that precede the name of a street or landmark.
    private let streets: Set<String>
    /// Folded phrases that are a landmark of their own.
    private let spots: Set<String>
    /// Folded words with which the name of a street ends.
    private let ends: Set<String>
    /// In words.
    private static let maxPhrase = 3
    private static let maxParts = 6
    private static let maxWords = 20
    /// The gazetteer looks up the town of each.
    private static let maxAddresses = 5
    /// A postal code has four or five digits, in the countries where people write it before the town.
    private static let postalCodeLengths = 4...5

    private init() {
        var phrases: [Substring: Set<String>] = [:]
        for row in Language.tables("whereabouts").flatMap(\.table.rows) {
            phrases[row[0], default: []].formUnion(row[1].split(separator: "|").map(String.init))
        }
        (streets, spots, ends) = (phrases["street"] ?? [], phrases["spot"] ?? [], phrases["end"] ?? [])
    }

    /// Returns the addresses that the text can be, the likeliest first: those that a comma, dash, bracket or house number
    /// divides, or the word for a street behind the town.
    package func addresses(in text: String) -> [WrittenAddress] {
        Array(allAddresses(in: text).prefix(Self.maxAddresses))
    }

    private func allAddresses(in text: String) -> [WrittenAddress] {
        let parts = Self.parts(of: text)
        guard (1...Self.maxParts).contains(parts.count) else { return [] }
        guard parts.count > 1 else { return addresses(inPart: parts[0]) }
        var found: [WrittenAddress] = []
        var streets: [WrittenAddress] = []
        // A longer name of a town, such as "Penta, Fisciano", counts more than a shorter one.
        for length in (1..<parts.count).reversed() {
            for start in (0...(parts.count - length)).reversed() {
                let (before, after) = (parts[..<start], parts[(start + length)...])
                guard [before, after].allSatisfy({ $0.first.map(isWhereabouts) ?? true }) else { continue }
                let town = parts[start..<start + length].map(Self.withoutPostalCode).joined(separator: ", ")
                let address = WrittenAddress(town: town, whereabouts: (before + after).joined(separator: ", "))
                if isWhereabouts(town) { streets.append(address) } else { found.append(address) }
            }
        }
        return found + streets + addresses(inPart: parts.joined(separator: " "))
    }

    /// Returns whether the text begins or ends as streets and landmarks do, or has a house number.
    package func isWhereabouts(_ text: String) -> Bool {
        let words = text.foldedWords()
        return text.contains(where: \.isNumber) || isStreetOrSpot(words[...])
            || words.count > 1 && ends.contains(words[words.count - 1])
    }

    /// Returns whether the text begins with the word for a street and has a number.
    func isStreetWithNumber(_ text: String) -> Bool {
        text.contains(where: \.isNumber) && isStreetOrSpot(text.foldedWords()[...])
    }

    /// Returns the last words of the text that may be a town, the longest first, if the text begins as streets do.
    func townsAtEnd(of text: String) -> [String] {
        let words = Self.words(of: text)
        guard words.count > 1, isWhereabouts(text) else { return [] }
        return (1...min(3, words.count - 1)).reversed().map { words.suffix($0).joined(separator: " ") }
    }

    /// Returns the addresses in words without separators: "Via Roma 3 Fisciano", "Fisciano via Roma 3".
    private func addresses(inPart part: String) -> [WrittenAddress] {
        let words = Self.words(of: part)
        guard (2...Self.maxWords).contains(words.count) else { return [] }
        let folded = words.map(\.folded)
        var found: [WrittenAddress] = []
        func add(town: ArraySlice<String>, _ rest: ArraySlice<String>) {
            found.append(
                WrittenAddress(town: town.joined(separator: " "), whereabouts: rest.joined(separator: " ")))
        }
        if isStreetOrSpot(folded[...]) {
            for index in words.indices.dropLast().reversed() where words[index].contains(where: \.isNumber) {
                add(town: words[(index + 1)...], words[...index])
            }
        }
        for index in words.indices.dropFirst() where isStreetOrSpot(folded[index...]) {
            add(town: words[..<index], words[index...])
        }
        return found
    }

    /// Returns whether folded words are a landmark, or begin with the word for a street that has a name.
    private func isStreetOrSpot(_ folded: ArraySlice<String>) -> Bool {
        // A fold can have several words: "c.da" is "c da".
        let words = folded.joined(separator: " ").split(separator: " ")
        let lengths = 1..<max(1, min(words.count, Self.maxPhrase + 1))
        return spots.contains(words.joined(separator: " "))
            || lengths.contains { streets.contains(words.prefix($0).joined(separator: " ")) }
    }

    private static func words(of text: String) -> [String] {
        text.split { $0.isWhitespace || ",;".contains($0) }.map(String.init)
    }

    nonisolated(unsafe) private static let dash = /\s[-–—]\s/

    /// Returns the parts between commas, brackets and dashes, without those that are only a postal code.
    private static func parts(of text: String) -> [String] {
        text.replacing(dash, with: ",").split { ",;()\n".contains($0) }
            .map { String($0.trimmed) }
            .filter { !$0.isEmpty && !isPostalCode($0[...]) }
    }

    /// Returns the part without a postal code before or behind the town.
    private static func withoutPostalCode(_ part: String) -> String {
        var words = part.split(separator: " ")[...]
        if words.count > 1, words.first.map(isPostalCode) == true { words.removeFirst() }
        if words.count > 1, words.last.map(isPostalCode) == true { words.removeLast() }
        return words.joined(separator: " ")
    }

    private static func isPostalCode(_ word: Substring) -> Bool {
        postalCodeLengths.contains(word.count) && word.allSatisfy(\.isASCIIDigit)
    }
}

extension PlaceFinder {
    /// Returns the town that a text means, without guessing, and the street or landmark if it is an address. The candidates
    /// are those of the text, or of the likeliest town in it.
    package func address(_ text: String, language: Language) throws -> (match: TownMatch, written: WrittenAddress?) {
        let reader = AddressReader.shared
        let addresses = reader.addresses(in: text)
        // "Via Milano" is a hamlet, too.
        let first = try reader.isStreetWithNumber(text) ? nil : town(named: text, language: language)
        if let first, case .town = first { return (first, nil) }
        var candidates: [Place] = []
        for address in addresses {
            switch try town(named: address.town, language: language) {
            case .town(let town): return (.town(town), address)
            case .unclear(let similar):
                if candidates.isEmpty { candidates = similar.filter { $0.isNamed(address.town) } }
            }
        }
        let match = try first ?? town(named: text, language: language)
        guard case .unclear(let similar) = match else { return (match, nil) }
        for name in reader.townsAtEnd(of: text) where candidates.isEmpty {
            if case .town(let town) = try town(named: name, language: language) { candidates = [town] }
        }
        return (.unclear(candidates: candidates.isEmpty ? similar : candidates), nil)
    }
}
