import CSpatiaLite

/// A constraint of the schema that a write has violated.
package enum SQLConstraint: Equatable, Sendable {
    case unique
    case foreignKey
    /// A trigger has refused the write, with a message for the client.
    case trigger(message: String?)
}

/// The reason why the database refused a statement.
package struct SQLFailure: CustomStringConvertible {
    package let message: String?
    /// The error code and the message.
    package let description: String
    /// Whether the file is damaged or not a database.
    package let isDamage: Bool
    /// Nil if the statement violated none of these constraints.
    package let constraint: SQLConstraint?

    /// Returns nil if the error is not an error of the database.
    package init?(_ error: any Error) {
        switch error {
        case let error as SQLiteError: self.init(error)
        case let error as PostgresError: self.init(error)
        default: return nil
        }
    }

    private init(_ error: SQLiteError) {
        message = error.message
        description = "\(error.codeText) \(error.message)"
        isDamage = [SQLITE_CORRUPT, SQLITE_NOTADB].contains(error.primaryCode)
        constraint =
            switch error.code {
            case SQLiteError.uniqueViolation: .unique
            case SQLiteError.foreignKeyViolation: .foreignKey
            case SQLiteError.refusalByTrigger: .trigger(message: error.message)
            default: nil
            }
    }

    private init(_ error: PostgresError) {
        message = error.message
        description = "\(error.code) \(error.message)"
        isDamage = error.code == PostgresError.dataCorrupted || error.code == PostgresError.indexCorrupted
        constraint =
            switch error.code {
            case PostgresError.uniqueViolation: .unique
            case PostgresError.foreignKeyViolation: .foreignKey
            case PostgresError.integrityViolation: .trigger(message: error.message)
            default: nil
            }
    }
}
