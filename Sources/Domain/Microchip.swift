/// The number of an animal's transponder, without the spaces and separators with which it is printed or typed.
package struct Microchip: Hashable, Sendable, CustomStringConvertible {
    package struct ParsingError: Error, Equatable {
        package let message: ErrorMessage

        package init(message: ErrorMessage) {
            self.message = message
        }
    }

    /// 15 digits (ISO 11784), 10 digits or letters A-F (AVID's encrypted and FECAVA's numbers), or 9 digits (AVID).
    package let number: String

    package var description: String { number }

    /// The first three of 15 digits: a country (ISO 3166-1 numeric, Italy 380) or, from 900, a manufacturer.
    package var prefix: Int? {
        number.utf8.count == 15 ? Int(number.prefix(3)) : nil
    }

    /// Ignores what spreadsheets and web pages add: a leading apostrophe, `.0`, characters that are not visible.
    package init(parsing text: String) throws(ParsingError) {
        let text = text.numberText
        guard !Self.isShortened(text) else {
            throw ParsingError(
                message: """
                    microchip: a spreadsheet has cut off the last digits of this number: format its column as text, and \
                    enter the number again
                    """
            )
        }
        number = Self.number(in: text)
        guard hasKnownForm else {
            throw ParsingError(message: "microchip: expected 9, 10 or 15 characters, like 380260000000000")
        }
        if let prefix, !(1...998).contains(prefix) {
            throw ParsingError(
                message: "microchip: \(number.prefix(3)) is neither a country's nor a manufacturer's code"
            )
        }
    }

    private static func number(in text: String) -> String {
        var rest = text.trimmed
        if rest.hasSuffix(".0") || rest.hasSuffix(",0"), rest.dropLast(2).allSatisfy(\.isNumber) {
            rest = rest.dropLast(2)
        }
        let separators = " \t-.*/'’‘`"
        return rest.filter { !separators.contains($0) }.uppercased()
    }

    /// Whether this is a number in scientific notation, such as 3.80260012345678E+14 and 3,8026E+14.
    private static func isShortened(_ text: String) -> Bool {
        let parts = text.trimmed.uppercased().split(separator: "E", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("+") || parts[0].contains(where: { ".,".contains($0) }) else {
            return false
        }
        let exponent = parts[1].drop { $0 == "+" }
        return (1...2).contains(exponent.count) && exponent.allSatisfy(\.isNumber)
            && !parts[0].isEmpty && parts[0].allSatisfy { $0.isNumber || ".,".contains($0) }
    }

    private var hasKnownForm: Bool {
        switch number.utf8.count {
        case 9, 15: number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        case 10: number.allSatisfy { $0.isASCII && $0.isHexDigit }
        default: false
        }
    }
}
