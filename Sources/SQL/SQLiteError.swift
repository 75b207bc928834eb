import CSpatiaLite
import Foundation

/// An error of SQLite.
package struct SQLiteError: Error {
    /// The extended result code: https://sqlite.org/rescode.html
    package let code: CInt
    package let message: String
    /// The statement that failed; nil if the error is not one of a statement.
    package let sql: String?

    /// - Parameter message: SQLite's text for the code by default.
    package init(_ code: CInt, _ message: String? = nil, sql: String? = nil) {
        self.code = code
        self.message = message ?? Self.text(of: code)
        self.sql = sql
    }

    /// An error of the last call on a connection of SQLite's interface.
    init(_ code: CInt, connection: OpaquePointer?, sql: String? = nil) {
        self.init(code, sqlite3_errmsg(connection).map { String(cString: $0) }, sql: sql)
    }

    /// An error of the last call on a statement of SQLite's interface.
    init(_ code: CInt, statement: OpaquePointer) {
        let sql = sqlite3_sql(statement).map { String(cString: $0) }
        self.init(code, connection: sqlite3_db_handle(statement), sql: sql)
    }

    /// The result code without its extension.
    package var primaryCode: CInt { code & 0xFF }

    /// The extended result code and its meaning.
    package var codeText: String { "\(code) (\(Self.text(of: code)))" }

    private static func text(of code: CInt) -> String { String(cString: sqlite3_errstr(code)) }
}

extension SQLiteError: CustomStringConvertible {
    package var description: String {
        let blanks = CharacterSet(charactersIn: ";").union(.whitespacesAndNewlines)
        let place = sql.map { " - while executing `\($0.trimmingCharacters(in: blanks))`" } ?? ""
        return "SQLite error \(primaryCode): \(message)\(place)"
    }
}

/// Extended result codes, which are macros that Swift does not import.
extension SQLiteError {
    package static let noMemoryForFile: CInt = SQLITE_IOERR | 12 << 8
    package static let foreignKeyViolation: CInt = SQLITE_CONSTRAINT | 3 << 8
    package static let refusalByTrigger: CInt = SQLITE_CONSTRAINT | 7 << 8
    package static let uniqueViolation: CInt = SQLITE_CONSTRAINT | 8 << 8
}
