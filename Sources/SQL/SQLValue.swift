package import Domain
package import Foundation

/// A value of an SQL statement.
package enum SQLValue: Hashable, Sendable {
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    case null
}

/// A type whose values can be bound to the parameters of a statement.
package protocol SQLBindable {
    var sqlValue: SQLValue { get }
}

extension SQLValue: SQLBindable {
    package var sqlValue: SQLValue { self }
}

extension Int64: SQLBindable {
    package var sqlValue: SQLValue { .integer(self) }
}

extension Int: SQLBindable {
    package var sqlValue: SQLValue { .integer(Int64(self)) }
}

extension Double: SQLBindable {
    package var sqlValue: SQLValue { .real(self) }
}

extension Bool: SQLBindable {
    package var sqlValue: SQLValue { .integer(self ? 1 : 0) }
}

extension String: SQLBindable {
    package var sqlValue: SQLValue { .text(self) }
}

extension Data: SQLBindable {
    package var sqlValue: SQLValue { .blob([UInt8](self)) }
}

extension [UInt8]: SQLBindable {
    package var sqlValue: SQLValue { .blob(self) }
}

extension Timestamp: SQLBindable {
    package var sqlValue: SQLValue { .text(text) }
}

/// Stored as text in lower case.
extension UUID: SQLBindable {
    package var sqlValue: SQLValue { .text(uuidString.lowercased()) }
}

/// Nil is NULL.
extension Optional: SQLBindable where Wrapped: SQLBindable {
    package var sqlValue: SQLValue { self?.sqlValue ?? .null }
}
