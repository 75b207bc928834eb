/// A telephone number as people write it: with separators, perhaps behind a word such as "tel.", and perhaps with an
/// extension such as "int. 5".
package struct TelephoneNumber: Equatable, Sendable {
    package struct ParsingError: Error, Equatable {
        package let message: ErrorMessage
        /// A number of the expected form.
        package let example: String?

        package init(message: ErrorMessage, example: String? = nil) {
            self.message = message
            self.example = example
        }
    }

    /// As it was written, without the words that announce it.
    package let text: String
    /// The text without the extension.
    let number: String
    /// The digits of the extension.
    let `extension`: String?

    /// The number of digits; the maximum is that of E.164.
    private static let lengths = 4...15
    /// Parts with at least this many digits on both sides of a separator are two numbers, because area codes are shorter.
    private static let minNumberLength = 6
    private static let signs: Set<Character> = ["+", "-", "(", ")", "/", ".", " "]
    /// Words that only announce a number, folded.
    private static let announcing: Set<String> = [
        "tel", "telefono", "telephone", "phone", "ph", "cell", "cel", "cellulare", "mobile", "mob", "whatsapp", "wa",
        "n", "nr", "no", "num", "numero", "number", "fisso",
    ]

    /// An example for readers of an unknown country.
    package static let anyExample = "+39 333 1234567"

    private init(_ number: String, _ suffix: (text: Substring, digits: Substring)? = nil) {
        self.number = number
        text = suffix.map { "\(number) \($0.text.hasPrefix(";") ? "ext. \($0.digits)" : $0.text.trimmed)" } ?? number
        `extension` = suffix.map { String($0.digits) }
    }

    /// - Throws: an error that says what was found, unless the text is one number with 4 to 15 digits.
    package init(parsing text: String) throws(ParsingError) {
        let whole = text.numberText
        let suffix = Self.suffix(of: whole)
        let text = suffix.map { String(whole[..<$0.text.startIndex]) } ?? whole
        let numbers = Self.numbers(in: text)
        guard let number = numbers.max(by: { $0.digitCount < $1.digitCount }) else { throw .unlikeNumber }
        let long = numbers.filter { $0.digitCount >= Self.minNumberLength }
        guard long.count < 2 else { throw ParsingError(message: "expected one number, found \(long.conjunction)") }
        let words = text.filter { !$0.isASCIIDigit }.folded.split(separator: " ").map(String.init)
        guard numbers.count == 1, Set(words).isSubset(of: Self.announcing) else {
            throw ParsingError(message: "expected only a number, found \(number) and other words")
        }
        let isPlain = number.lastIndex(of: "+").map { !number[..<$0].contains(where: \.isASCIIDigit) } ?? true
        guard Self.lengths.contains(number.digitCount), isPlain else { throw .unlikeNumber }
        self.init(number, suffix)
    }

    /// The first number of a text that may have several, such as the telephone numbers of places of OpenStreetMap.
    package static func first(in text: String) -> TelephoneNumber? {
        if let only = try? TelephoneNumber(parsing: text) { return only }
        return numbers(in: text.numberText).first { $0.digitCount >= lengths.lowerBound }.map { TelephoneNumber($0) }
    }

    private static func numbers(in text: String) -> [String] {
        text.split { !$0.isASCIIDigit && !signs.contains($0) }.flatMap { run in
            let parts = run.replacing(" - ", with: "/").split(separator: "/").filter { $0.digitCount > 0 }
            let isSeveral = parts.count > 1 && parts.allSatisfy { $0.digitCount >= minNumberLength }
            return (isSeveral ? parts : [run]).map(trimmed).filter { $0.digitCount > 0 }
        }
    }

    private static func trimmed(_ number: some StringProtocol) -> String {
        guard let first = number.firstIndex(where: { $0.isASCIIDigit || $0 == "+" || $0 == "(" }),
            let last = number.lastIndex(where: { $0.isASCIIDigit || $0 == ")" }), first <= last
        else { return "" }
        return String(number[first...last])
    }

    nonisolated(unsafe) private static let extensionForm =
        /(?:;ext=|\b(?:extension|ext|interno|int)[.:]?\s*|x\s*)([0-9]{1,7})\s*$/.ignoresCase()

    /// The extension at the end of a text, such as "int. 5", "ext. 5", "x5" or ";ext=5" (RFC 3966).
    private static func suffix(of text: String) -> (text: Substring, digits: Substring)? {
        guard text.contains(where: \.isLetter) else { return nil }
        return text.firstMatch(of: extensionForm).map { ($0.0, $0.1) }
    }
}

extension TelephoneNumber.ParsingError {
    fileprivate static let unlikeNumber = Self(
        message: "expected a telephone number like \(TelephoneNumber.anyExample)"
    )
}

extension StringProtocol {
    fileprivate var digitCount: Int { count(where: \.isASCIIDigit) }
}

extension Character {
    package var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
