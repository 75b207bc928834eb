/// An error of PostgreSQL, or of the connection to it.
package struct PostgresError: Error, CustomStringConvertible {
    /// The SQLSTATE; for errors of the connection itself, a code of class 08.
    package let code: String
    package let message: String
    package let detail: String?
    package let sql: String?

    package init(code: String, message: String, detail: String? = nil, sql: String? = nil) {
        (self.code, self.message, self.detail, self.sql) = (code, message, detail, sql)
    }

    package var description: String {
        ["PostgreSQL \(code): \(message)", detail, sql.map { "in: \($0)" }].compactMap(\.self).joined(separator: "; ")
    }
}

/// Codes from "PostgreSQL Error Codes": https://www.postgresql.org/docs/15/errcodes-appendix.html
extension PostgresError {
    package static let connectionFailure = "08006"
    package static let unableToConnect = "08001"
    package static let integrityViolation = "23000"
    package static let foreignKeyViolation = "23503"
    package static let uniqueViolation = "23505"
    package static let readOnlyTransaction = "25006"
    package static let queryCanceled = "57014"
    package static let dataCorrupted = "XX001"
    package static let indexCorrupted = "XX002"

    /// Whether the connection is lost, or the server ends it, so that another one is needed.
    package var isConnectionLoss: Bool {
        // The server shuts down, was restarted after a crash, starts, has ended a silent session, or is a standby that was
        // the primary before.
        code.hasPrefix("08")
            || ["57P01", "57P02", "57P03", "57P05", "25P03", Self.readOnlyTransaction].contains(code)
    }

    /// Whether the same transaction can succeed when it is run again: a serialization failure, a deadlock, a lock that
    /// others hold, or too many connections.
    package var isTransient: Bool { ["40001", "40P01", "55P03", "53300"].contains(code) }

    package var isDiskFull: Bool { code == "53100" }

    package var isOutOfMemory: Bool { code == "53200" }

    /// Whether the server's own files cannot be read or written.
    package var isStorageFailure: Bool { code.hasPrefix("58") || code.hasPrefix("XX00") }
}
