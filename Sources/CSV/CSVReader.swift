package import Foundation

/// Reads CSV row by row, in memory bounded by `maximumRecordSize`, from a file, a pipe or anything that gives bytes.
///
/// The delimiter is what the header line has most of: comma, semicolon or tab. Empty lines are passed over.
///
/// Our own, because SwiftCSV 0.10 holds the whole text, names no lines in its errors, fills short rows up in silence,
/// and drops blanks at the beginning of fields.
package struct CSVReader {
    /// A row that is longer by a chunk's size or more is refused.
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

    /// `read` gives at most as many bytes as it is asked for, and nil or none at the end.
    package init(removesFormulaGuards: Bool = true, read: @escaping (Int) throws -> Data?) throws {
        self.removesFormulaGuards = removesFormulaGuards
        records = try RecordReader(read: read)
        guard let (line, names) = try records.next() else { throw CSVError(line: 1, message: "expected a header line") }
        header = try CSVHeader(names, line: line)
    }

    /// Nil at the end. After an error about one row the next call gives the row behind it.
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
