import Domain
import NIOCore

/// The grammar of RFC 2046, 5.1.1, as a machine that is fed pieces of a body.
struct MultipartParser {
    enum Event {
        case part(PartHeader)
        /// Of the part that was told of last.
        case content(ByteBuffer)
        case partEnd
        /// What comes behind is nobody's.
        case end
    }

    private enum State {
        case preamble
        /// Behind a delimiter: either two hyphens, or nothing but the end of its line.
        case delimiterLine
        case header
        case content
        case end
    }

    private let limits: FormLimits
    private var scan: DelimiterScan
    private var piece = ByteBuffer()
    private var state = State.preamble
    /// The line or lines being read, in `delimiterLine` and `header`.
    private var gathered: [UInt8] = []
    private var preambleSize = 0
    private var parts = 0

    init(_ boundary: MultipartBoundary, _ limits: FormLimits) {
        self.limits = limits
        // The first delimiter may be the first line: then no line end comes before it.
        scan = DelimiterScan(boundary.delimiter, matched: 2)
    }

    /// - Parameter piece: what follows upon the last one, when that one is used up.
    mutating func feed(_ piece: ByteBuffer) {
        self.piece = piece
    }

    /// Nil where the piece is used up.
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

    /// False where the piece ends first; so of the next two.
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
            // An empty line ends it, which may be its first.
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

    /// Adds the next byte to what is gathered; false where there is none.
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
