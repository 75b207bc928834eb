import Domain
import NIOCore

/// An incremental parser for the grammar of RFC 2046, 5.1.1, which is fed pieces of a body.
struct MultipartParser {
    enum Event {
        case part(PartHeader)
        /// Content of the current part.
        case content(ByteBuffer)
        case partEnd
        /// The end of the form. The rest of the body is ignored.
        case end
    }

    private enum State {
        case preamble
        /// After a delimiter: either two hyphens or the rest of the line, which must be blank.
        case delimiterLine
        case header
        case content
        case end
    }

    private let limits: FormLimits
    private var scan: DelimiterScan
    private var piece = ByteBuffer()
    private var state = State.preamble
    /// The current line in `delimiterLine`, or the current lines in `header`.
    private var gathered: [UInt8] = []
    private var preambleSize = 0
    private var parts = 0

    init(_ boundary: MultipartBoundary, _ limits: FormLimits) {
        self.limits = limits
        // The first delimiter may be the first line, without a preceding line end.
        scan = DelimiterScan(boundary.delimiter, matched: 2)
    }

    /// - Parameter piece: The next piece of the body. The previous one must be consumed.
    mutating func feed(_ piece: ByteBuffer) {
        self.piece = piece
    }

    /// Returns the next event, or nil if the piece is consumed.
    mutating func next() throws(ServiceError) -> Event? {
        while true {
            switch state {
            case .preamble: guard try skipPreamble() else { return nil }
            case .delimiterLine: guard try readDelimiterLine() else { return nil }
            case .header:
                guard let header = try readHeader() else { return nil }
                return .part(header)
            case .content: return nextContent()
            case .end: return .end
            }
        }
    }

    /// Returns false if the piece ends first, as do the next two methods.
    private mutating func skipPreamble() throws(ServiceError) -> Bool {
        while let finding = scan.next(in: &piece) {
            guard case .bytes(let bytes) = finding else {
                state = .delimiterLine
                return true
            }
            preambleSize += bytes.readableBytes
            guard preambleSize <= limits.header else { throw .largeHeader(limits.header) }
        }
        return false
    }

    private mutating func readDelimiterLine() throws(ServiceError) -> Bool {
        while try gather() {
            if gathered == Array("--".utf8) {
                state = .end
                return true
            }
            guard gathered.last == .lineFeed else { continue }
            guard gathered.dropLast(2).allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) else {
                throw .invalid("body", "a line begins like the boundary and goes on otherwise")
            }
            gathered = []
            try beginPart()
            return true
        }
        return false
    }

    private mutating func beginPart() throws(ServiceError) {
        parts += 1
        guard parts <= limits.parts else { throw .manyParts(limits.parts) }
        state = .header
    }

    private mutating func readHeader() throws(ServiceError) -> PartHeader? {
        while try gather() {
            // The header ends at an empty line, which may be its first line.
            guard gathered.last == .lineFeed, gathered.count == 2 || gathered.suffix(4) == Self.emptyLine else {
                continue
            }
            defer { gathered = [] }
            state = .content
            return try PartHeader(gathered)
        }
        return nil
    }

    private mutating func nextContent() -> Event? {
        switch scan.next(in: &piece) {
        case .bytes(let bytes): return .content(bytes)
        case .delimiter:
            state = .delimiterLine
            return .partEnd
        case nil: return nil
        }
    }

    private static let emptyLine = Array("\r\n\r\n".utf8)[...]

    /// Appends the next byte to `gathered`. Returns false if there is none.
    private mutating func gather() throws(ServiceError) -> Bool {
        guard let byte = piece.readInteger(as: UInt8.self) else { return false }
        guard (gathered.last == .carriageReturn) == (byte == .lineFeed) else {
            throw .invalid("body", "expected lines that end in CR and LF")
        }
        guard gathered.count < limits.header else { throw .largeHeader(limits.header) }
        gathered.append(byte)
        return true
    }
}
