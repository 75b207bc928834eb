/// The name of a cell, like B7.
struct CellReference: Equatable, CustomStringConvertible {
    /// Counted from 0.
    let column: Int
    /// Counted from 1.
    let row: Int

    init(column: Int, row: Int) {
        (self.column, self.row) = (column, row)
    }

    /// Reads at most three letters and a row number; nil for other texts.
    init?(_ text: String) {
        let letters = text.utf8.prefix { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
        guard (1...3).contains(letters.count), let row = Int(text.utf8.dropFirst(letters.count)),
            (1...SpreadsheetLimits.maxRows).contains(row)
        else { return nil }
        column = letters.reduce(0) { $0 * 26 + Int($1 - UInt8(ascii: "A")) + 1 } - 1
        self.row = row
    }

    var description: String {
        var letters = ""
        var rest = column + 1
        while rest > 0 {
            rest -= 1
            letters = String(UnicodeScalar(UInt8(ascii: "A") + UInt8(rest % 26))) + letters
            rest /= 26
        }
        return "\(letters)\(row)"
    }
}

extension Int {
    /// Reads ASCII digits only.
    fileprivate init?(_ digits: Substring.UTF8View) {
        guard digits.first?.isDigit == true else { return nil }
        self.init(String(Substring(digits)))
    }
}
