/// The number of an animal's transponder, without the spaces and separators with which it is printed or typed.
package struct Microchip: Hashable, Sendable, CustomStringConvertible {
    package struct ParsingError: Error, Equatable {
        package let message: String

        package init(message: String) {
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

    package init(parsing text: String) throws(ParsingError) {
        let separators = " \t\u{A0}-.*/"
        number = String(text.filter { !separators.contains($0) }).uppercased()
        guard hasKnownForm else {
            throw ParsingError(message: "microchip: expected 9, 10 or 15 characters, like 380260000000000")
        }
        if let prefix, !(1...998).contains(prefix) {
            throw ParsingError(
                message: "microchip: \(number.prefix(3)) is neither a country's nor a manufacturer's code"
            )
        }
    }

    private var hasKnownForm: Bool {
        switch number.utf8.count {
        case 9, 15: number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        case 10: number.allSatisfy { $0.isASCII && $0.isHexDigit }
        default: false
        }
    }
}
