import CSpatiaLite

/// A compiled statement of an `SQLiteConnection`. A `PreparedStatement` runs it.
final class SQLiteStatement {
    let handle: OpaquePointer
    /// Whether a `PreparedStatement` has it: no other one may run it meanwhile.
    private(set) var isInUse = false

    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { sqlite3_finalize(handle) }

    /// Begins a use.
    func begin(_ values: [SQLValue]) throws {
        isInUse = true
        do { try bind(values) } catch {
            end()
            throw error
        }
    }

    func bind(_ values: [SQLValue]) throws {
        for (index, value) in values.enumerated() {
            let code = value.bind(to: handle, CInt(index + 1))
            if code != SQLITE_OK { throw SQLiteError(code, statement: handle) }
        }
    }

    /// Makes the statement ready for the next use.
    func end() {
        sqlite3_reset(handle)
        // Frees the copies of texts and blobs, because kept statements live as long as the connection.
        sqlite3_clear_bindings(handle)
        isInUse = false
    }
}

extension SQLValue {
    /// Returns SQLite's result code.
    fileprivate func bind(to statement: OpaquePointer, _ place: CInt) -> CInt {
        switch self {
        case .integer(let number): sqlite3_bind_int64(statement, place, number)
        case .real(let number): sqlite3_bind_double(statement, place, number)
        // A text ends at its first NUL, as on PostgreSQL.
        case .text(let text): sqlite3_bind_text(statement, place, text, -1, Self.copied)
        // SQLite reads a blob without a pointer as NULL.
        case .blob(let bytes) where bytes.isEmpty: sqlite3_bind_zeroblob(statement, place, 0)
        case .blob(let bytes): sqlite3_bind_blob64(statement, place, bytes, UInt64(bytes.count), Self.copied)
        case .null: sqlite3_bind_null(statement, place)
        }
    }

    /// SQLITE_TRANSIENT, a macro that Swift does not import, makes SQLite copy the bytes.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}
