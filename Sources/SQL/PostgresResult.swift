import CLibPQ

/// The rows that a statement has returned, in the memory of libpq.
final class PostgresResult {
    let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) { self.pointer = pointer }

    deinit { PQclear(pointer) }

    var rowCount: CInt { PQntuples(pointer) }

    /// The number of rows that the statement has inserted, updated or deleted.
    var changes: Int { PQcmdTuples(pointer).flatMap { Int(String(cString: $0)) } ?? 0 }

    /// Whether the server waits for the data of a COPY.
    var acceptsCopy: Bool { PQresultStatus(pointer) == PGRES_COPY_IN }

    /// Returns nil if the statement succeeded.
    func error(_ sql: String?) -> PostgresError? {
        switch PQresultStatus(pointer) {
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
            PostgresError(
                // Without a code, libpq has written the error itself: the connection is lost.
                code: field(.code) ?? PostgresError.connectionFailure,
                message: field(.message) ?? "the connection to the database is lost",
                detail: field(.detail),
                sql: sql
            )
        default: nil
        }
    }

    /// `PG_DIAG_SQLSTATE` and others of `postgres_ext.h`: macros of characters, which Swift does not import.
    private enum Field: Character {
        case code = "C"
        case message = "M"
        case detail = "D"
    }

    private func field(_ field: Field) -> String? {
        PQresultErrorField(pointer, CInt(field.rawValue.asciiValue ?? 0)).map { String(cString: $0) }
    }
}
