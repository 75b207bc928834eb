package import Domain
import Foundation
package import Storage

/// A migrated database with the breed list, in its own temporary folder, or on the PostgreSQL server that `TEST_DATABASE`
/// names.
package struct TestDatabase: Sendable {
    package let folder: TemporaryFolder
    package let database: any Database
    package let accounts: AccountStore
    package let listings: ListingStore
    package let search: ListingSearch
    package let pois: PointOfInterestStore
    package let moderation: ModerationStore
    package let reports: ReportStore
    package let sightings: SightingStore
    package let timelines: TimelineStore

    /// Copies a database that is migrated once for all tests, because migrating takes 50 times as long as copying.
    ///
    /// - Parameter leads: whether it is the database of the node that sends messages, for tests that run a sender without
    ///   a server. A database file always is.
    package init(leads: Bool = false) async throws {
        if let server = PostgresTestServer.current {
            let folder = try TemporaryFolder()
            let database = try await server.makeDatabase(folder.url)
            if leads { try Self.lead(database) }
            try self.init(database, in: folder)
        } else {
            try self.init(in: try Self.copy(try await Self.template.value))
        }
    }

    /// Renews the leadership as a server does, as long as the database is in use.
    private static func lead(_ database: PostgresDatabase) throws {
        try database.renewLeadership()
        Task.detached { [weak database] in
            while (try? await Task.sleep(for: .seconds(2))) != nil, let database { try? database.renewLeadership() }
        }
    }

    /// Whether tests use database files. Tests about SQLite itself are enabled only then.
    package static var isFile: Bool { PostgresTestServer.current == nil }

    /// Opens the database again, as another process does. Keep this value as long as the result is used.
    ///
    /// - Parameter leads: as in `init(leads:)`.
    package func openAgain(leads: Bool = false) throws -> any Database {
        if let server = PostgresTestServer.current {
            let database = try PostgresDatabase(server.address(of: database), folder: folder.url)
            if leads { try Self.lead(database) }
            return database
        }
        return try DatabaseFile(directory: folder.url)
    }

    /// The database file. Throws if tests use PostgreSQL.
    package var file: DatabaseFile {
        get throws {
            guard let file = database as? DatabaseFile else {
                throw ServiceError(.unavailable, "the test needs a database file: enable it if TestDatabase.isFile")
            }
            return file
        }
    }

    /// The folder of a migrated database without open connections.
    private static let template = Task {
        let folder = try TemporaryFolder()
        let database = try DatabaseFile(directory: folder.url)
        _ = try database.migrate()
        try await BreedStore(database).put(Bundled.breeds())
        _ = try await database.checkpoint()
        try database.close()
        return folder
    }

    private static func copy(_ folder: TemporaryFolder) throws -> TemporaryFolder {
        let copy = try TemporaryFolder()
        try FileManager.default.removeItem(at: copy.url)
        try FileManager.default.copyItem(at: folder.url, to: copy.url)
        return copy
    }

    /// Copies another board, which must not be in use.
    package init(copying board: TestDatabase) async throws {
        if let server = PostgresTestServer.current {
            let folder = try TemporaryFolder()
            try board.database.close()
            try self.init(try server.copy(board.database, folder.url), in: folder)
            return
        }
        _ = try await board.database.checkpoint()
        try self.init(in: try Self.copy(board.folder))
    }

    /// Opens the database once more, as another node does, with its own data folder. Throws if tests use database files.
    package func otherNode() throws -> TestDatabase {
        guard let server = PostgresTestServer.current else {
            throw ServiceError(.unavailable, "the test needs PostgreSQL: disable it if TestDatabase.isFile")
        }
        let folder = try TemporaryFolder()
        return try TestDatabase(try PostgresDatabase(server.address(of: database), folder: folder.url), in: folder)
    }

    private init(in folder: TemporaryFolder) throws {
        try self.init(try DatabaseFile(directory: folder.url), in: folder)
    }

    private init(_ database: any Database, in folder: TemporaryFolder) throws {
        self.folder = folder
        self.database = database
        accounts = AccountStore(database)
        listings = ListingStore(database)
        search = ListingSearch(database)
        pois = PointOfInterestStore(database)
        moderation = ModerationStore(database)
        reports = ReportStore(database)
        sightings = SightingStore(database)
        timelines = TimelineStore(database)
    }

    /// Stores many listings, in pieces whose triggers a busy server runs in time.
    package func fill(_ drafts: [ListingStore.Draft], owner: Account) async throws {
        for start in stride(from: 0, to: drafts.count, by: 500) {
            _ = try await listings.put(Array(drafts[start..<min(start + 500, drafts.count)]), owner: owner)
        }
    }

    package func hide(_ listing: Listing) async throws {
        try await moderation.hide(listing.id, .init(by: .service))
    }

    /// Returns the code of the listing with this id.
    package func code(of listing: String) async throws -> String {
        guard let id = UUID(uuidString: listing), let found = try await listings.findListing(id: id) else {
            throw ServiceError(.notFound, "no listing \(listing)")
        }
        return found.code.text
    }

    package func guest() async throws -> Account {
        try await accounts.createGuest(tokenHash: Data((0..<32).map { _ in UInt8.random(in: 0...255) }))
    }

    package func user(_ email: String) async throws -> Account {
        try await accounts.register(
            AccountStore.Registration(email: email, passwordHash: "$argon2id$test", profile: Profile()),
            upgrading: nil,
            tokenHash: nil
        )
    }
}

extension ListingStore.Draft {
    package static func at(
        _ lon: Double,
        _ lat: Double,
        _ status: Listing.Status = .lost,
        createdAt: Timestamp? = nil,
        _ change: (inout ListingContent) -> Void = { _ in }
    ) throws -> ListingStore.Draft {
        var content = ListingContent()
        content.status = status
        change(&content)
        content.readBreeds(try Bundled.breeds())
        guard let coordinate = Coordinate(lon: lon, lat: lat) else {
            throw ServiceError.invalid("lon", "expected a point on Earth")
        }
        var location = ListingLocation(coordinate: coordinate, approximate: false)
        location.place = content.place
        return ListingStore.Draft(content: content, location: location, createdAt: createdAt)
    }
}
