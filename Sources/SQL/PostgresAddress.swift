import CLibPQ
import Domain
import Foundation

/// The servers of a database and how to connect to them: a URI or key words of libpq, for example
/// `postgresql://user@host1,host2/doggofinder`.
package struct PostgresAddress: Sendable {
    private let text: String
    /// The name of the database, in place of the one in `text`.
    private var otherDatabase: String?
    /// The program's values of parameters that the address does not have.
    private let defaults: [String: String]

    /// Throws if libpq is missing or cannot read the text. The error does not contain the text, which may contain a
    /// password.
    package init(_ text: String, purpose: Purpose = .writing) throws {
        if let missing = libpq_load() {
            throw ServiceError(
                .unavailable,
                "PostgreSQL needs the library libpq, package libpq5: \(String(cString: missing))"
            )
        }
        let given = try Self.options(text)
        var defaults = [
            "application_name": "doggofinder",
            // The address of a server that does not answer is not tried for longer than this, in seconds. Visitors wait
            // for it when a standby is lost.
            "connect_timeout": purpose == .writing ? "5" : "2",
            // A connection whose other end is gone is noticed after 10 + 3 * 5 seconds, and one with unanswered data
            // after 10 (in milliseconds).
            "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "10000",
            "target_session_attrs": purpose == .writing ? "read-write" : "prefer-standby",
            "client_encoding": "UTF8",
        ]
        for (name, _) in given { defaults[name] = nil }
        self.text = text
        self.defaults = defaults
    }

    package enum Purpose: Sendable {
        /// A server that accepts writes.
        case writing
        /// A standby, or a server that accepts writes if there is none.
        case reading
    }

    package static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
    }

    /// The address without the password, for messages.
    package var description: String {
        let options = (try? Self.options(text)) ?? [:]
        let hosts = options["host"] ?? options["hostaddr"] ?? ""
        return "postgresql://\(hosts)/\(options["dbname"] ?? options["user"] ?? "")"
    }

    /// The same servers with another database.
    package func with(database: String) -> PostgresAddress {
        var address = self
        address.otherDatabase = database
        return address
    }

    /// The name of the database; nil if the address does not tell it.
    package var database: String? { (try? Self.options(text))?["dbname"] }

    package var hasPassword: Bool { (try? Self.options(text))?["password"] != nil }

    private static func options(_ text: String) throws -> [String: String] {
        guard let first = PQconninfoParse(text, nil) else {
            throw ServiceError.invalid(
                "database",
                "expected an address of PostgreSQL, like postgresql://user@host1,host2/doggofinder"
            )
        }
        defer { PQconninfoFree(first) }
        var found: [String: String] = [:]
        var option = first
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { found[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return found
    }

    /// Begins to connect. The result has to be freed.
    func start() -> OpaquePointer? {
        // libpq reads the address where the name is `dbname`; later names take precedence.
        let options =
            [("dbname", text)] + defaults.sorted { $0.key < $1.key } + (otherDatabase.map { [("dbname", $0)] } ?? [])
        let names = options.map { strdup($0.0) }
        let values = options.map { strdup($0.1) }
        defer { for copy in names + values { free(copy) } }
        return PQconnectStartParams(
            names.map { UnsafePointer($0) } + [nil],
            values.map { UnsafePointer($0) } + [nil],
            1
        )
    }
}
