import Foundation

/// Reads records from a stream of bytes in chunks.
struct RecordReader {
    private static let chunkSize = 1 << 18

    let delimiter: CSVDelimiter
    private let read: (Int) throws -> Data?
    private var parser: RecordParser
    private var chunk: [UInt8]
    private var position = 0
    private var atEnd = false

    init(read: @escaping (Int) throws -> Data?) throws {
        let read = UTF16Input(read).next
        self.read = read
        chunk = try Self.beginning(read)
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        delimiter = CSVDelimiter(headerLine: chunk[position...])
        parser = RecordParser(delimiter: delimiter.byte)
    }

    /// Returns the next record, or nil at the end.
    mutating func next() throws -> (line: Int, fields: [String])? {
        while !atEnd {
            if parser.advance(over: chunk, from: &position) { return try parser.takeRecord() }
            guard parser.pendingSize <= CSVReader.maximumRecordSize else { throw tooLong() }
            (chunk, position) = ([UInt8](try read(Self.chunkSize) ?? Data()), 0)
            if chunk.isEmpty {
                atEnd = true
                return try parser.finish() ? parser.takeRecord() : nil
            }
        }
        return nil
    }

    private mutating func tooLong() -> CSVError {
        atEnd = true
        return CSVError(
            line: parser.recordLine,
            message: "a row is longer than \(CSVReader.maximumRecordSize) bytes; is a closing quote missing?",
            endsFile: true
        )
    }

    /// Reads up to the end of the first line that is not empty, which is needed to detect the delimiter, because a pipe
    /// may return little data at a time.
    private static func beginning(_ read: (Int) throws -> Data?) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var header = HeaderLine()
        while bytes.count < chunkSize, !header.isComplete, let more = try read(chunkSize), !more.isEmpty {
            bytes += more
            for byte in more { header.append(byte) }
        }
        return bytes
    }

    /// Detects the end of the first line that is not empty. Line breaks within quotes do not end it.
    private struct HeaderLine {
        private(set) var isComplete = false
        private var isQuoted = false
        private var hasContent = false

        mutating func append(_ byte: UInt8) {
            switch byte {
            case .lineFeed, .carriageReturn: isComplete = isComplete || hasContent && !isQuoted
            // The bytes of a byte order mark, which can precede an empty line.
            case 0xEF, 0xBB, 0xBF: break
            default:
                hasContent = true
                if byte == .quote { isQuoted.toggle() }
            }
        }
    }
}
