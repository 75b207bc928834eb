/// A cell that begins with one of these is run as a formula by the spreadsheet of whoever opens the file, and may fetch
/// addresses or start programs ("CSV injection").
private let formulaStarts = Set("=+-@\t\r\n".utf8)

extension String {
    /// With an apostrophe in front where a spreadsheet would see a formula. Where apostrophes stand in front already,
    /// one more is put there, so that taking one away always gives back what was.
    var formulaGuarded: String {
        isFormulaBehindApostrophes && !isPlainNumber ? "'" + self : self
    }

    var formulaGuardRemoved: String {
        utf8.first == .apostrophe && isFormulaBehindApostrophes ? String(dropFirstByte) : self
    }

    private var isFormulaBehindApostrophes: Bool {
        utf8.first { $0 != .apostrophe }.map(formulaStarts.contains) ?? false
    }

    /// Coordinates must stay numbers for whoever reads the file.
    private var isPlainNumber: Bool {
        let digits = utf8.first == UInt8(ascii: "-") ? utf8.dropFirst() : utf8[...]
        return digits.first.map(UInt8.isDigit) == true
            && digits.allSatisfy { UInt8.isDigit($0) || $0 == UInt8(ascii: ".") }
    }

    /// In bytes, because an apostrophe and an accent behind it are one character.
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
