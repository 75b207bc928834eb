package import Domain
package import Foundation

/// A row with a value that the program did not write.
package struct UnreadableRow: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// A type whose values can be read from a column.
package protocol SQLReadable {
    /// Returns nil if the value, which is not NULL, has another type.
    init?(_ row: StatementRow, _ column: CInt)
}

extension Int64: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.type(column) == .integer else { return nil }
        self = row.integer(column)
    }
}

extension Int: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.type(column) == .integer else { return nil }
        self.init(row.integer(column))
    }
}

extension Double: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard [.integer, .real].contains(row.type(column)) else { return nil }
        self = row.real(column)
    }
}

extension Bool: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.type(column) == .integer else { return nil }
        self = row.integer(column) != 0
    }
}

extension String: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.type(column) == .text, let text = row.string(column) else { return nil }
        self = text
    }
}

extension Data: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard ![.integer, .real].contains(row.type(column)) else { return nil }
        self.init(row.blob(column))
    }
}

extension [UInt8]: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard ![.integer, .real].contains(row.type(column)) else { return nil }
        self.init(row.blob(column))
    }
}

extension Timestamp: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard let text = String(row, column) else { return nil }
        self.init(stored: text)
    }
}

extension UUID: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard let text = String(row, column) else { return nil }
        self.init(uuidString: text)
    }
}
