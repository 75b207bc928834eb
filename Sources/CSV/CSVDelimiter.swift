/// The delimiter between two fields.
package enum CSVDelimiter: CaseIterable, Sendable {
    case comma
    /// Spreadsheets use the semicolon where the comma is the decimal separator, for example in Italy.
    case semicolon
    case tab

    var byte: UInt8 {
        switch self {
        case .comma: UInt8(ascii: ",")
        case .semicolon: UInt8(ascii: ";")
        case .tab: UInt8(ascii: "\t")
        }
    }

    /// Detects the delimiter as the most frequent one outside quotes in the first line that is not empty; the default
    /// is the comma.
    init(headerLine bytes: ArraySlice<UInt8>) {
        var counts: [UInt8: Int] = [:]
        var isQuoted = false
        for byte in bytes.drop(while: { $0 == .lineFeed || $0 == .carriageReturn }) {
            if byte == .quote { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == .lineFeed || byte == .carriageReturn { break }
            counts[byte, default: 0] += 1
        }
        self = .comma
        for other in Self.allCases where counts[other.byte, default: 0] > counts[byte, default: 0] {
            self = other
        }
    }
}
