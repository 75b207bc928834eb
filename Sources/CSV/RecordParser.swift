import Foundation

/// An incremental parser of RFC 4180 that is fed chunks of a file and keeps its state between them.
///
/// Beyond the RFC, it accepts LF and CR as line ends, and treats quotes inside an unquoted field as text.
struct RecordParser {
    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// After a quote that either ends the field or is the first of a doubled quote.
        case quote
    }

    let delimiter: UInt8
    private var state = State.fieldStart
    /// The bytes of the fields without quotes and delimiters, and the end of each field in them.
    private var content: [UInt8] = []
    private var ends: [Int] = []
    private var wasQuoted = false
    private var skipsLineFeed = false
    private var line = 1
    private(set) var recordLine = 1
    private var misplacedQuote: Int?

    init(delimiter: UInt8) {
        self.delimiter = delimiter
    }

    /// The size of the data kept for the current, unfinished record.
    var pendingSize: Int { content.count + ends.count }

    /// Parses from `position` to the end of a record. Returns false if the bytes end first.
    mutating func advance(over bytes: [UInt8], from position: inout Int) -> Bool {
        while position < bytes.count {
            switch state {
            case .fieldStart, .unquoted:
                if advanceUnquoted(over: bytes, from: &position) { return true }
            case .quoted:
                advanceQuoted(over: bytes, from: &position)
            case .quote:
                advanceBehindQuote(bytes[position], &position)
            }
        }
        return false
    }

    /// Ends the file. Returns true if there is a last record without a line end.
    mutating func finish() throws(CSVError) -> Bool {
        if case .quoted = state {
            throw CSVError(line: recordLine, message: "a quoted field has no closing quote", endsFile: true)
        }
        return endRecord()
    }

    /// Returns the record that has just ended.
    mutating func takeRecord() throws(CSVError) -> (line: Int, fields: [String]) {
        defer { reset() }
        if let misplacedQuote {
            throw CSVError(line: misplacedQuote, message: "expected a delimiter behind a closing quote")
        }
        var fields: [String] = []
        fields.reserveCapacity(ends.count)
        var start = 0
        for end in ends {
            guard let field = Self.text(content[start..<end]) else {
                let above = content[..<start].count { $0 == .lineFeed }
                throw CSVError(
                    line: recordLine + above,
                    message: "field \(fields.count + 1) is neither UTF-8 nor Windows-1252"
                )
            }
            fields.append(field)
            start = end
        }
        return (recordLine, fields)
    }

    /// Decodes UTF-8, or else Windows-1252, in which spreadsheets of western Europe write CSV.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        let undefined: Set<UInt8> = [0x81, 0x8D, 0x8F, 0x90, 0x9D]
        guard undefined.isDisjoint(with: bytes) else { return nil }
        return String(bytes: bytes, encoding: .windowsCP1252)
    }

    private mutating func advanceUnquoted(over bytes: [UInt8], from position: inout Int) -> Bool {
        if skipsLineFeed {
            skipsLineFeed = false
            if bytes[position] == .lineFeed {
                position += 1
                return false
            }
        }
        if case .fieldStart = state, bytes[position] == .quote {
            state = .quoted
            wasQuoted = true
            position += 1
            return false
        }
        let end = bytes[position...].firstIndex { $0 == delimiter || $0 == .lineFeed || $0 == .carriageReturn }
        content.append(contentsOf: bytes[position..<(end ?? bytes.count)])
        state = .unquoted
        position = end.map { $0 + 1 } ?? bytes.count
        return end.map { endField(at: bytes[$0]) } ?? false
    }

    private mutating func advanceQuoted(over bytes: [UInt8], from position: inout Int) {
        let end = bytes[position...].firstIndex(of: .quote) ?? bytes.count
        let run = bytes[position..<end]
        content.append(contentsOf: run)
        line += run.count { $0 == .lineFeed }
        if end < bytes.count { state = .quote }
        position = end + 1
    }

    private mutating func advanceBehindQuote(_ byte: UInt8, _ position: inout Int) {
        switch byte {
        case .quote:
            content.append(byte)
            state = .quoted
            position += 1
        case delimiter, .lineFeed, .carriageReturn:
            state = .unquoted
        default:
            misplacedQuote = misplacedQuote ?? line
            state = .unquoted
        }
    }

    /// Ends a field and returns whether the record ends as well.
    private mutating func endField(at byte: UInt8) -> Bool {
        if byte == delimiter {
            ends.append(content.count)
            state = .fieldStart
            return false
        }
        skipsLineFeed = byte == .carriageReturn
        line += 1
        if endRecord() { return true }
        reset()
        return false
    }

    /// Returns false for an empty line, which is not a record.
    private mutating func endRecord() -> Bool {
        if ends.isEmpty, content.isEmpty, !wasQuoted { return false }
        ends.append(content.count)
        return true
    }

    private mutating func reset() {
        content.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        wasQuoted = false
        misplacedQuote = nil
        state = .fieldStart
        recordLine = line
    }
}

extension UInt8 {
    static let quote = UInt8(ascii: "\"")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
}
