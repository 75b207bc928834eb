import Domain

/// The words of a text that may be an address, and which of them may be the number of a house.
struct AddressQuery {
    struct Reading {
        /// Nil if no number is asked for.
        let number: HouseNumberKey?
        let words: [String]
    }

    private static let (maxLength, maxWords) = (200, 12)

    /// The parts between spaces and commas, with their words.
    private let parts: [(text: String, words: [String])]

    init(_ text: String) {
        let parts = text.beginning(Self.maxLength).split { $0.isWhitespace || $0 == "," }.prefix(Self.maxWords)
        self.parts = parts.enumerated().map { index, part in
            let words = String(part).addressWords
            // "P.zza" has two words. "V. Roma" is a street, but "San Pio V" a name.
            let joined = words.joined()
            let long = index == 0 || joined.count > 1 ? Self.abbreviations[joined] : nil
            return (String(part), long.map { [$0] } ?? words)
        }
    }

    /// The ways to read the text, the likeliest first: a number at the end of a street's name, as in "Via 25 Aprile 12", or before it.
    var readings: [Reading] {
        let numbers = parts.indices.reversed().filter { parts[$0].text.wholeMatch(of: Self.number) != nil }
        let numbered = numbers.map { index in
            let addition =
                index + 1 < parts.count && Self.isAddition(parts[index + 1].text) ? parts[index + 1].text : ""
            var rest = parts
            rest.removeSubrange(index...(addition.isEmpty ? index : index + 1))
            return Reading(number: HouseNumberKey(parts[index].text + addition), words: rest.flatMap(\.words))
        }
        return (numbered + [Reading(number: nil, words: parts.flatMap(\.words))]).filter { !$0.words.isEmpty }
    }

    /// "12", "12a", "12/A", "12-14".
    nonisolated(unsafe) private static let number = /[0-9]{1,4}[A-Za-z]?([-\/;.][0-9]{0,4}[A-Za-z]?)*/

    /// The letter of "12 A" and "12 bis".
    private static func isAddition(_ text: String) -> Bool {
        text.count == 1 && text.first?.isLetter == true || ["bis", "ter"].contains(text.folded)
    }

    /// The words that abbreviations in names of streets stand for, folded. That of the first language counts.
    private static let abbreviations = Dictionary(
        Language.tables("places").flatMap(\.table.rows).filter { $0[0] == "street" }.flatMap { row in
            row[2].split(separator: "|").map { (String($0), String(row[1])) }
        }
    ) { first, _ in first }
}

/// A house number in the form in which numbers are compared: "12/A", "12 a" and "12A" are the same.
struct HouseNumberKey: Hashable {
    let text: String
    /// The digits at its beginning; nil if there are none.
    let value: Int?

    init(_ text: String) {
        self.text = text.folded.filter { $0 != " " }
        value = Int(self.text.prefix(while: \.isNumber))
    }

    /// Returns how far the number is from the one of a house, 0 if it is the same; nil if one of them is no number.
    func difference(from other: String) -> Int? {
        if isOne(of: other) { return 0 }
        // Another letter of the same number is next to it.
        return HouseNumberKey(other).value.flatMap { other in value.map { max(1, 2 * abs($0 - other)) } }
    }

    /// Whether a house has the number. OpenStreetMap writes several as "12;14", "12,14" or "12-14".
    private func isOne(of numbers: String) -> Bool {
        if HouseNumberKey(numbers) == self { return true }
        let parts = numbers.split { ";,".contains($0) }
        if parts.count > 1 { return parts.contains { isOne(of: String($0)) } }
        let ends = numbers.split(separator: "-").map { HouseNumberKey(String($0)) }
        guard ends.count == 2, let low = ends[0].value, let high = ends[1].value, let value, low <= high else {
            return false
        }
        return ends.contains(self) || (low...high).contains(value) && (value - low) % 2 == 0
    }
}

extension String {
    /// The words of a name, folded, with Latin letters for those that are no accented ones: "Ħal Għaxaq" is found by "hal ghaxaq".
    var addressWords: [String] {
        folded.split(separator: " ").map { word in
            word.utf8.allSatisfy { $0 < 0x80 }
                ? String(word) : word.reduce(into: "") { $0 += Self.plainLetters[$1] ?? String($1) }
        }
    }

    private static let plainLetters: [Character: String] = [
        "ħ": "h", "ł": "l", "ø": "o", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe",
    ]
}
