/// The characters that start a formula. A spreadsheet evaluates such a cell when the file is opened, and the formula
/// may fetch URLs or start programs ("CSV injection").
private let formulaStarts = Set("=+-@\t\r\n".utf8)

extension String {
    /// Prefixes an apostrophe if a spreadsheet would evaluate the text as a formula. If apostrophes already precede a
    /// formula, another one is added, so that removing one always restores the original.
    var formulaGuarded: String {
        isFormulaBehindApostrophes && !isPlainNumber ? "'" + self : self
    }

    package var formulaGuardRemoved: String {
        utf8.first == .apostrophe && isFormulaBehindApostrophes ? String(dropFirstByte) : self
    }

    private var isFormulaBehindApostrophes: Bool {
        utf8.first { $0 != .apostrophe }.map(formulaStarts.contains) ?? false
    }

    /// Coordinates must remain numbers for other programs.
    private var isPlainNumber: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        return digits.first.map(UInt8.isDigit) == true
            && digits.allSatisfy { UInt8.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    /// Drops one byte and not one character, because an apostrophe and a combining accent form one character.
    private var dropFirstByte: Substring {
        self[utf8.index(after: startIndex)...]
    }
}

extension UInt8 {
    fileprivate static let apostrophe = UInt8(ascii: "'")

    fileprivate static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
