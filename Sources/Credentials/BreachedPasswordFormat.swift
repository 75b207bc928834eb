import Domain

/// The form of the lines in a list of breached passwords.
package enum BreachedPasswordFormat: Sendable {
    /// SHA-1 digests in hexadecimal, with or without `:COUNT`, as the list of Have I Been Pwned has them.
    case digests
    /// The passwords themselves, in UTF-8.
    case plain

    /// The length of a SHA-1 digest in hexadecimal digits.
    private static let digestLength = 40
    /// The number of digits that give an entry.
    private static let entryDigits = 2 * BreachedPasswords.entryLength

    /// Returns the entry of a line without its line ending; nil if the line is not UTF-8, because nobody can choose
    /// such a password. Throws `invalid`, with the number of the line, if the line does not have the form.
    func entry(of line: ArraySlice<UInt8>, number: Int) throws(ServiceError) -> UInt64? {
        switch self {
        case .digests:
            guard let entry = Self.digest(line) else {
                throw .invalid(
                    "line \(number)",
                    """
                    expected an SHA-1 digest of 40 hexadecimal digits, with or without :COUNT; lists of plain \
                    passwords need --plain
                    """
                )
            }
            return entry
        case .plain:
            guard !line.contains(0) else { throw .invalid("line \(number)", "expected text, got a NUL byte") }
            return String(validating: line, as: UTF8.self).map(BreachedPasswords.prefix(of:))
        }
    }

    /// Returns the first 64 bits of the digest, or nil if the line has another form.
    private static func digest(_ line: ArraySlice<UInt8>) -> UInt64? {
        var entry: UInt64 = 0
        var digits = 0
        for letter in line.prefix(digestLength) {
            guard let digit = hexadecimalDigit(letter) else { return nil }
            if digits < entryDigits { entry = entry << 4 | digit }
            digits += 1
        }
        return digits == digestLength && isCount(line.dropFirst(digestLength)) ? entry : nil
    }

    private static func hexadecimalDigit(_ letter: UInt8) -> UInt64? {
        switch letter {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(letter - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(letter - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt64(letter - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// Returns whether what follows the digest is empty or `:COUNT`.
    private static func isCount(_ text: ArraySlice<UInt8>) -> Bool {
        guard let colon = text.first else { return true }
        let count = text.dropFirst()
        return colon == UInt8(ascii: ":") && !count.isEmpty
            && count.allSatisfy { UInt8(ascii: "0") <= $0 && $0 <= UInt8(ascii: "9") }
    }
}
