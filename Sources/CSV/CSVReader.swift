package import Foundation

/// Reads CSV row by row from a file, a pipe or another source of bytes, with memory limited by `maximumRecordSize`.
///
/// The delimiter (comma, semicolon or tab) is the one that occurs most often in the header line. Empty lines are
/// skipped. Texts are UTF-8, UTF-16 with a byte order mark, or Windows-1252.
///
/// This is our own parser because SwiftCSV 0.10 holds the whole text in memory, has no line numbers in errors, silently
/// pads short rows, and drops spaces at the beginning of fields.
package struct CSVReader {
    /// The maximum size of a row in bytes. A longer row is detected at the end of a chunk and rejected.
    package static let maximumRecordSize = 1 << 20

    package let header: CSVHeader
    private var records: RecordReader
    private let removesFormulaGuards: Bool

    package var delimiter: CSVDelimiter { records.delimiter }

    package init(_ file: FileHandle, removesFormulaGuards: Bool = true) throws {
        try self.init(removesFormulaGuards: removesFormulaGuards) { try file.read(upToCount: $0) }
    }

    package init(_ data: Data, removesFormulaGuards: Bool = true) throws {
        var rest = data
        try self.init(removesFormulaGuards: removesFormulaGuards) { count in
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count)
        }
    }

    /// `read` returns at most the requested number of bytes, and nil or no bytes at the end.
    package init(removesFormulaGuards: Bool = true, read: @escaping (Int) throws -> Data?) throws {
        self.removesFormulaGuards = removesFormulaGuards
        records = try RecordReader(read: read)
        guard let (line, names) = try records.next() else { throw CSVError(line: 1, message: "expected a header line") }
        header = try CSVHeader(names, line: line)
    }

    /// Returns the next row, or nil at the end. After an error in one row, the next call returns the following row.
    package mutating func next() throws -> CSVRow? {
        guard let (line, fields) = try records.next() else { return nil }
        guard fields.count == header.names.count else {
            throw CSVError(line: line, message: "expected \(header.names.count) fields, found \(fields.count)")
        }
        return CSVRow(
            line: line,
            header: header,
            fields: removesFormulaGuards ? fields.map(\.formulaGuardRemoved) : fields
        )
    }
}
