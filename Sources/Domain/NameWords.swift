extension StringProtocol {
    /// The words of a place name for searches. The name is folded, and letters that have no decomposition are replaced,
    /// so that "Łódź" and "lodz" become equal.
    public var nameWords: [String] {
        var plain = ""
        for scalar in folded.unicodeScalars where !(0x2B0..<0x300).contains(scalar.value) {
            if let letters = spelling[scalar] {
                plain += letters
            } else {
                plain.unicodeScalars.append(scalar)
            }
        }
        // Splits by Unicode scalars: as characters, a space and a following combining mark are one.
        return plain.unicodeScalars.split(separator: " ").map {
            String(String.UnicodeScalarView($0.prefix(maxWordLength)))
        }
    }
}

private let maxWordLength = 40

private let spelling: [Unicode.Scalar: String] = [
    "æ": "ae", "ð": "d", "ø": "o", "þ": "th", "đ": "d", "ħ": "h", "ı": "i", "ŀ": "l", "ł": "l", "ŋ": "n", "œ": "oe",
    "ŧ": "t", "ə": "e", "ß": "ss",
]
