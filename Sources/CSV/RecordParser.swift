/// RFC 4180 as a machine that is fed pieces of a file: it remembers where in a record it stands.
///
/// Beyond the RFC it takes LF and CR for CRLF, and quotes inside an unquoted field for themselves.
struct RecordParser {
    private enum State {
        case fieldStart
        case unquoted
        case quoted
        /// Behind a quote that either ends the field or begins a doubled one.
        case quote
    }

    let delimiter: UInt8
    private var state = State.fieldStart
    /// The fields' bytes without quotes and delimiters, and where in them each field ends.
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

    /// What is held for the record that has not ended yet.
    var pendingSize: Int { content.count + ends.count }

    /// Reads on from `position`, and stops behind the end of a record; false where the bytes end first.
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

    /// At the end of the file: whether a last record without a line end is there.
    mutating func finish() throws(CSVError) -> Bool {
        if case .quoted = state {
            throw CSVError(line: recordLine, message: "a quoted field has no closing quote")
        }
        return endRecord()
    }

    /// The record that has just ended.
    mutating func takeRecord() throws(CSVError) -> (line: Int, fields: [String]) {
        defer { reset() }
        if let misplacedQuote {
            throw CSVError(line: misplacedQuote, message: "expected a delimiter behind a closing quote")
        }
        var fields: [String] = []
        fields.reserveCapacity(ends.count)
        var start = 0
        for end in ends {
            guard let field = String(validating: content[start..<end], as: UTF8.self) else {
                let above = content[..<start].count { $0 == .lineFeed }
                throw CSVError(line: recordLine + above, message: "field \(fields.count + 1) is not UTF-8")
            }
            fields.append(field)
            start = end
        }
        return (recordLine, fields)
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

    /// Whether the record ends with the field.
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

    /// False for an empty line, which is no record.
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
