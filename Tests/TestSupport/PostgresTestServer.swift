import Domain
import Foundation
package import SQL
package import Storage
import Synchronization

/// The PostgreSQL server that the variable `TEST_DATABASE` names, like `postgresql://user@/postgres?host=/tmp/server`.
/// Each test gets a database of its own.
package final class PostgresTestServer: Sendable {
    /// Nil if the tests use database files.
    package static let current: PostgresTestServer? = ProcessInfo.processInfo.environment["TEST_DATABASE"].map {
        do { return PostgresTestServer(try PostgresAddress($0)) } catch { fatalError("TEST_DATABASE: \(error)") }
    }

    private let address: PostgresAddress
    private let template: Task<String, any Error>
    private let copies = Mutex<[Copy]>([])

    private struct Copy {
        let name: String
        weak var database: PostgresDatabase?
    }

    private init(_ address: PostgresAddress) {
        self.address = address
        template = Task {
            let name = Self.newName()
            try Self.create(name, from: "template0", address)
            let folder = try TemporaryFolder()
            let database = try PostgresDatabase(address.with(database: name), folder: folder.url)
            _ = try database.migrate()
            try await BreedStore(database).put(Bundled.breeds())
            try database.close()
            return name
        }
    }

    /// Returns a migrated database with the list of breeds.
    func makeDatabase(_ folder: URL) async throws -> PostgresDatabase { try copy(try await template.value, folder) }

    /// Copies a database without connections.
    func copy(_ database: any Database, _ folder: URL) throws -> PostgresDatabase {
        try copy(try name(of: database), folder)
    }

    /// The address of a database that this server made.
    package func address(of database: any Database) throws -> PostgresAddress {
        address.with(database: try name(of: database))
    }

    /// Ends all connections to a database and refuses new ones, or accepts them again.
    package func setRefusing(_ isRefusing: Bool, _ database: any Database) throws {
        let name = try name(of: database)
        let connection = try PostgresConnection(address, within: .seconds(60))
        try connection.run(script: "ALTER DATABASE \(name) ALLOW_CONNECTIONS \(!isRefusing)")
        try connection.run(
            script: "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'"
        )
    }

    private func name(of database: any Database) throws -> String {
        guard let copy = copies.withLock({ $0.first { $0.database === database } }) else {
            throw ServiceError(.notFound, "the test server has not made this database")
        }
        return copy.name
    }

    private func copy(_ template: String, _ folder: URL) throws -> PostgresDatabase {
        dropUnused()
        let name = Self.newName()
        try Self.create(name, from: template, address)
        let database = try PostgresDatabase(address.with(database: name), folder: folder)
        copies.withLock { $0.append(Copy(name: name, database: database)) }
        return database
    }

    /// Removes the databases that no test uses any more, so that a run does not fill the disk.
    private func dropUnused() {
        let unused = copies.withLock { copies in
            let unused = copies.filter { $0.database == nil }
            copies.removeAll { $0.database == nil }
            return unused
        }
        guard !unused.isEmpty, let connection = try? PostgresConnection(address, within: .seconds(60)) else { return }
        for copy in unused { try? connection.run(script: "DROP DATABASE \(copy.name) WITH (FORCE)") }
    }

    /// Returns the address of a new database without tables; nil if the tests use database files.
    package static func makeEmptyDatabase() throws -> String? {
        guard let text = ProcessInfo.processInfo.environment["TEST_DATABASE"], let server = current else { return nil }
        let name = newName()
        try create(name, from: "template0", server.address)
        return text.replacing("/postgres?", with: "/\(name)?")
    }

    private static func create(_ name: String, from template: String, _ address: PostgresAddress) throws {
        let connection = try PostgresConnection(address, within: .seconds(60))
        let locale = template == "template0" ? "ENCODING 'UTF8' LOCALE 'C'" : "STRATEGY file_copy"
        try connection.run(script: "CREATE DATABASE \(name) TEMPLATE \(template) \(locale)")
    }

    private static func newName() -> String { "test_\(UUID().uuidString.lowercased().filter { $0 != "-" })" }
}
