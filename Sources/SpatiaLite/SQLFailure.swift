import GRDB

/// A constraint of the schema that a write has violated.
package enum SQLConstraint: Equatable, Sendable {
    case unique
    case foreignKey
    /// A trigger has refused the write, with a message for the client.
    case trigger(message: String?)
}

/// The reason why the database refused a statement.
package struct SQLFailure: CustomStringConvertible {
    private let error: DatabaseError

    /// Returns nil if the error is not an error of the database.
    package init?(_ error: any Error) {
        guard let error = error as? DatabaseError else { return nil }
        self.error = error
    }

    package var message: String? { error.message }

    /// The error code and the message.
    package var description: String { "\(error.extendedResultCode) \(error.message ?? "")" }

    /// Whether the file is damaged or not a database.
    package var isDamage: Bool { [.SQLITE_CORRUPT, .SQLITE_NOTADB].contains(error.resultCode) }

    /// Nil if the statement violated none of these constraints.
    package var constraint: SQLConstraint? {
        switch error.extendedResultCode {
        case .SQLITE_CONSTRAINT_UNIQUE: .unique
        case .SQLITE_CONSTRAINT_FOREIGNKEY: .foreignKey
        case .SQLITE_CONSTRAINT_TRIGGER: .trigger(message: error.message)
        default: nil
        }
    }
}
