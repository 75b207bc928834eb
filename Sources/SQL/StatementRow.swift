import CLibPQ
import CSpatiaLite
package import Domain
import Foundation

/// The type of a value in a row.
package enum SQLType {
    case integer
    case real
    case text
    case blob
    case null
}

/// The columns of the current row of a statement, valid until its next step.
///
/// Hot paths use the methods that read a column by its index without a check. Other code uses the subscripts.
package struct StatementRow {
    enum Source {
        case sqlite(OpaquePointer)
        case postgres(PostgresRow)
    }

    let source: Source

    init(sqlite handle: OpaquePointer) { source = .sqlite(handle) }

    init(_ row: PostgresRow) { source = .postgres(row) }

    package func integer(_ column: CInt) -> Int64 {
        switch source {
        case .sqlite(let handle): sqlite3_column_int64(handle, column)
        case .postgres(let row): row.integer(column)
        }
    }

    package func real(_ column: CInt) -> Double {
        switch source {
        case .sqlite(let handle): sqlite3_column_double(handle, column)
        case .postgres(let row): row.real(column)
        }
    }

    package func isNull(_ column: CInt) -> Bool {
        switch source {
        case .sqlite(let handle): sqlite3_column_type(handle, column) == SQLITE_NULL
        case .postgres(let row): row.isNull(column)
        }
    }

    /// Returns the UTF-8 bytes of a text, valid until the next step, or nil for NULL.
    package func text(_ column: CInt) -> UnsafeBufferPointer<UInt8>? {
        switch source {
        case .sqlite(let handle):
            guard let start = sqlite3_column_text(handle, column) else { return nil }
            return UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column)))
        case .postgres(let row): return row.isNull(column) ? nil : row.bytes(column).bindMemory(to: UInt8.self)
        }
    }

    package func string(_ column: CInt) -> String? { text(column).map { String(decoding: $0, as: UTF8.self) } }

    /// Returns the bytes, valid until the next step.
    package func blob(_ column: CInt) -> UnsafeRawBufferPointer {
        switch source {
        case .sqlite(let handle):
            UnsafeRawBufferPointer(
                start: sqlite3_column_blob(handle, column),
                count: Int(sqlite3_column_bytes(handle, column))
            )
        case .postgres(let row): row.bytes(column)
        }
    }

    package var columnCount: CInt {
        switch source {
        case .sqlite(let handle): sqlite3_column_count(handle)
        case .postgres(let row): PQnfields(row.result)
        }
    }

    package func name(_ column: CInt) -> String { String(cString: nameBytes(column)) }

    private func nameBytes(_ column: CInt) -> UnsafePointer<CChar> {
        switch source {
        case .sqlite(let handle): sqlite3_column_name(handle, column)
        case .postgres(let row): UnsafePointer(PQfname(row.result, column))
        }
    }

    /// The type of a number of PostgreSQL with any precision depends on its value.
    package func type(_ column: CInt) -> SQLType {
        switch source {
        case .sqlite(let handle):
            switch sqlite3_column_type(handle, column) {
            case SQLITE_INTEGER: .integer
            case SQLITE_FLOAT: .real
            case SQLITE_TEXT: .text
            case SQLITE_BLOB: .blob
            default: .null
            }
        case .postgres(let row): row.type(column)
        }
    }

    /// Returns a copy of the value.
    package func value(_ column: CInt) -> SQLValue {
        switch type(column) {
        case .integer: .integer(integer(column))
        case .real: .real(real(column))
        case .text: .text(string(column) ?? "")
        case .blob: .blob([UInt8](blob(column)))
        case .null: .null
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

    /// The point in the columns `lon` and `lat`; nil if one of them is NULL.
    package var coordinate: Coordinate? {
        get throws {
            guard let lon: Double = try self["lon"], let lat: Double = try self["lat"] else { return nil }
            return Coordinate(lon: lon, lat: lat)
        }
    }

    /// Returns the first column with the name.
    private func index(_ name: String) throws -> CInt {
        let index = (0..<columnCount).first { strcmp(nameBytes($0), name) == 0 }
        guard let index else { throw UnreadableRow("no column '\(name)'\(place)") }
        return index
    }

    private func unreadable(_ column: CInt, as type: Any.Type) -> UnreadableRow {
        guard column < columnCount else { return UnreadableRow("no column \(column)\(place)") }
        return UnreadableRow("column '\(name(column))' is \(isNull(column) ? "NULL" : "no \(type)")\(place)")
    }

    /// The SQL of the statement, where the engine tells it, for messages.
    private var place: String {
        guard case .sqlite(let handle) = source, let sql = sqlite3_sql(handle) else { return "" }
        return " in: \(String(cString: sql))"
    }
}
