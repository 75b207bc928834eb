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

    /// Detects the delimiter as the one that most of the first lines have equally often, outside quotes; the default is the
    /// comma. Texts have commas, but not each the same number of them.
    init(lines bytes: ArraySlice<UInt8>, count: Int) {
        var lines: [[UInt8: Int]] = [[:]]
        var (isQuoted, hasContent) = (false, false)
        for byte in bytes {
            if byte == .quote { isQuoted.toggle() }
            if !isQuoted, byte == .lineFeed || byte == .carriageReturn {
                if hasContent { lines.append([:]) }
                hasContent = false
                if lines.count > count { break }
                continue
            }
            hasContent = true
            if !isQuoted { lines[lines.count - 1][byte, default: 0] += 1 }
        }
        /// The lines with the most frequent number of a delimiter, and this number.
        func score(_ delimiter: CSVDelimiter) -> (lines: Int, number: Int) {
            let numbers = lines.compactMap { $0[delimiter.byte] }
            let counts = Dictionary(numbers.map { ($0, 1) }, uniquingKeysWith: +)
            return counts.map { ($0.value, $0.key) }.max { $0 < $1 } ?? (0, 0)
        }
        self = .comma
        for other in Self.allCases where score(other) > score(self) { self = other }
    }
}
