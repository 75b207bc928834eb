package import Domain
package import Foundation
import GRDBSQLite

/// The columns of the current row of a statement, valid until its next step.
///
/// Hot paths use the methods that read a column by its index without a check. Other code uses the subscripts.
package struct StatementRow {
    let handle: OpaquePointer

    package func integer(_ column: CInt) -> Int64 { sqlite3_column_int64(handle, column) }

    package func real(_ column: CInt) -> Double { sqlite3_column_double(handle, column) }

    package func isNull(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// Returns the UTF-8 bytes of a text, valid until the next step, or nil for NULL.
    package func text(_ column: CInt) -> UnsafeBufferPointer<UInt8>? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
    }

    package func string(_ column: CInt) -> String? { text(column).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the bytes, valid until the next step.
    package func blob(_ column: CInt) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(
            start: sqlite3_column_blob(handle, column),
            count: Int(sqlite3_column_bytes(handle, column))
        )
    }

    package var columnCount: CInt { sqlite3_column_count(handle) }

    package func name(_ column: CInt) -> String { String(cString: sqlite3_column_name(handle, column)) }

    /// Returns a copy of the value.
    package func value(_ column: CInt) -> SQLValue {
        switch sqlite3_column_type(handle, column) {
        case SQLITE_INTEGER: .integer(integer(column))
        case SQLITE_FLOAT: .real(real(column))
        case SQLITE_TEXT: .text(string(column) ?? "")
        case SQLITE_BLOB: .blob([UInt8](blob(column)))
        default: .null
        }
    }

    /// Throws if the value is NULL or has another type.
    package subscript<Value: SQLReadable>(_ column: CInt) -> Value {
        get throws {
            guard let value = try self[column] as Value? else { throw unreadable(column, as: Value.self) }
            return value
        }
    }

    /// Returns nil for NULL. Throws if the value has another type.
    package subscript<Value: SQLReadable>(_ column: CInt) -> Value? {
        get throws {
            guard !isNull(column) else { return nil }
            guard let value = Value(self, column) else { throw unreadable(column, as: Value.self) }
            return value
        }
    }

    /// Throws if the value is NULL or has another type, or if there is no such column.
    package subscript<Value: SQLReadable>(_ name: String) -> Value {
        get throws { try self[index(name)] }
    }

    /// Returns nil for NULL. Throws if the value has another type, or if there is no such column.
    package subscript<Value: SQLReadable>(_ name: String) -> Value? {
        get throws { try self[index(name)] }
    }

    /// Returns the first column with the name.
    private func index(_ name: String) throws -> CInt {
        let index = (0..<columnCount).first { strcmp(sqlite3_column_name(handle, $0), name) == 0 }
        guard let index else { throw UnreadableRow("no column '\(name)' in: \(sql)") }
        return index
    }

    private func unreadable(_ column: CInt, as type: Any.Type) -> UnreadableRow {
        guard column < columnCount else { return UnreadableRow("no column \(column) in: \(sql)") }
        return UnreadableRow("column '\(name(column))' is \(isNull(column) ? "NULL" : "no \(type)") in: \(sql)")
    }

    private var sql: String { sqlite3_sql(handle).map { String(cString: $0) } ?? "" }
}

/// A row with a value that the program did not write.
package struct UnreadableRow: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// A type whose values can be read from a column.
package protocol SQLReadable {
    /// Returns nil if the value, which is not NULL, has another type.
    init?(_ row: StatementRow, _ column: CInt)
}

extension StatementRow {
    fileprivate func isNumber(_ column: CInt) -> Bool {
        [SQLITE_INTEGER, SQLITE_FLOAT].contains(sqlite3_column_type(handle, column))
    }

    fileprivate func isInteger(_ column: CInt) -> Bool { sqlite3_column_type(handle, column) == SQLITE_INTEGER }
}

extension Int64: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.isInteger(column) else { return nil }
        self = row.integer(column)
    }
}

extension Int: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.isInteger(column) else { return nil }
        self.init(row.integer(column))
    }
}

extension Double: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.isNumber(column) else { return nil }
        self = row.real(column)
    }
}

extension Bool: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard row.isInteger(column) else { return nil }
        self = row.integer(column) != 0
    }
}

extension String: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard sqlite3_column_type(row.handle, column) == SQLITE_TEXT, let text = row.string(column) else { return nil }
        self = text
    }
}

extension Data: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard !row.isNumber(column) else { return nil }
        self.init(row.blob(column))
    }
}

extension [UInt8]: SQLReadable {
    package init?(_ row: StatementRow, _ column: CInt) {
        guard !row.isNumber(column) else { return nil }
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
