package import Foundation

/// Reads records from a stream of bytes in chunks, the header as any other record.
package struct RecordReader {
    private static let chunkSize = 1 << 18

    package let delimiter: CSVDelimiter
    private let read: (Int) throws -> Data?
    private var parser: RecordParser
    private var chunk: [UInt8]
    private var position = 0
    private var atEnd = false

    /// - Parameter lines: the lines that tell the delimiter: titles may stand above the header.
    package init(lines: Int = 1, read: @escaping (Int) throws -> Data?) throws {
        let read = UTF16Input(read).next
        self.read = read
        chunk = try Self.beginning(read, lines: lines)
        if chunk.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        delimiter =
            lines > 1
            ? CSVDelimiter(lines: chunk[position...], count: lines) : CSVDelimiter(headerLine: chunk[position...])
        parser = RecordParser(delimiter: delimiter.byte)
    }

    /// Returns the next record, or nil at the end. After an error in one record, the next call returns the following one.
    package mutating func next() throws -> (line: Int, fields: [String])? {
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

    /// Reads up to the end of the first lines that are not empty, which are needed to detect the delimiter, because a pipe
    /// may return little data at a time.
    private static func beginning(_ read: (Int) throws -> Data?, lines: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var header = FirstLines(count: lines)
        while bytes.count < chunkSize, !header.isComplete, let more = try read(chunkSize), !more.isEmpty {
            bytes += more
            for byte in more { header.append(byte) }
        }
        return bytes
    }

    /// Detects the end of the first lines that are not empty. Line breaks within quotes do not end one.
    private struct FirstLines {
        private var left: Int
        private var isQuoted = false
        private var hasContent = false

        init(count: Int) { left = count }

        var isComplete: Bool { left == 0 }

        mutating func append(_ byte: UInt8) {
            switch byte {
            case .lineFeed, .carriageReturn:
                guard hasContent, !isQuoted else { return }
                left = max(0, left - 1)
                hasContent = false
            // The bytes of a byte order mark, which can precede an empty line.
            case 0xEF, 0xBB, 0xBF: break
            default:
                hasContent = true
                if byte == .quote { isQuoted.toggle() }
            }
        }
    }
}
