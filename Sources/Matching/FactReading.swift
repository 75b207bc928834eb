import Domain
import Foundation

/// The facts that descriptions tell in plain words: whether the animal is neutered, and its weight.
struct FactReading {
    var neutered: Bool?
    var kilograms: Double?

    private static let neuteredWords: Set<Substring> = [
        "neutered", "spayed", "castrated", "desexed", "fixed", "altered", "castrato", "castrata", "sterilizzato",
        "sterilizzata",
    ]
    private static let intactWords: Set<Substring> = [
        "intact", "unneutered", "unspayed", "entire", "intero", "intera", "fertile",
    ]
    private static let negations: Set<Substring> = ["not", "non", "un", "never", "isn", "no"]
    private static let units: [Substring: Double] = [
        "kg": 1, "kgs": 1, "kilo": 1, "kilos": 1, "chili": 1, "chilo": 1, "kilogrammi": 1, "lb": 0.4536, "lbs": 0.4536,
        "pounds": 0.4536,
    ]

    /// - Parameter text: a text of limited length.
    init(_ text: String) {
        let words = text.folded.split(separator: " ")
        for (index, word) in words.enumerated() {
            let isNegated = words[max(0, index - 2)..<index].contains(where: Self.negations.contains)
            if neutered == nil, Self.neuteredWords.contains(word) { neutered = !isNegated }
            if neutered == nil, Self.intactWords.contains(word) { neutered = isNegated }
            if kilograms == nil { kilograms = Self.weight(words, index) }
        }
    }

    /// Reads "23 kg", "23kg" and "kg 23". Folding separates decimals: "4.5 kg" is "4 5 kg".
    private static func weight(_ words: [Substring], _ index: Int) -> Double? {
        let word = words[index]
        guard let number = Double(word.prefix { $0.isASCII && $0.isNumber }), number <= 150 else { return nil }
        let rest = word.drop { $0.isASCII && $0.isNumber }
        var kilograms: Double?
        if let unit = units[rest] { kilograms = number * unit }
        if rest.isEmpty, index + 1 < words.count, let unit = units[words[index + 1]] { kilograms = number * unit }
        if rest.isEmpty, index + 2 < words.count, let unit = units[words[index + 2]], words[index + 1].utf8.count == 1 {
            kilograms = number * unit
        }
        if rest.isEmpty, index > 0, words[index - 1] == "kg" { kilograms = number }
        return kilograms.flatMap { (0.3...120).contains($0) ? $0 : nil }
    }
}

/// Reads ages: "2 years", "8 mesi", "cucciolo", "Senior".
package enum AgeReading {
    private static let named: [Substring: UInt16] = [
        "puppy": 6, "pup": 6, "kitten": 6, "cucciolo": 6, "cucciola": 6, "gattino": 6, "gattina": 6, "baby": 6,
        "young": 18, "giovane": 18, "adult": 48, "adulto": 48, "adulta": 48, "senior": 120, "old": 120, "elderly": 120,
        "anziano": 120, "anziana": 120, "vecchio": 120, "vecchia": 120,
    ]

    /// The age in months; nil if the text tells none.
    package static func months(_ text: String?) -> UInt16? {
        guard let text else { return nil }
        let found = text.foldedWords(maxLength: 60).map { $0[...] }
        for (index, word) in found.enumerated() {
            guard let number = Double(word.prefix { $0.isASCII && $0.isNumber }), number <= 40 else { continue }
            let unit = word.drop { $0.isASCII && $0.isNumber }
            let next = unit.isEmpty ? (index + 1 < found.count ? found[index + 1] : "") : unit
            return UInt16(
                next.hasPrefix("m") ? number : next.hasPrefix("w") || next.hasPrefix("s") ? number / 4 : number * 12
            )
        }
        return found.lazy.compactMap { named[$0] }.first
    }
}
