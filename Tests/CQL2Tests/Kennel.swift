import CQL2
import Domain
import SQL
import SpatiaLite
import TestSupport
import Testing

/// A table of dogs, against which the tests run filters: on SpatiaLite, and on PostGIS if `TEST_DATABASE` names a server.
struct DogTable {
    static let queryables = [
        Queryable(name: "id", type: .integer, sql: "dog.id"),
        Queryable(name: "name", type: .text, sql: "dog.name"),
        Queryable(name: "colour", type: .text, sql: "dog.colour"),
        Queryable(name: "age", type: .integer, sql: "dog.age"),
        Queryable(name: "weight", type: .number, sql: "dog.weight"),
        Queryable(name: "chipped", type: .boolean, sql: "dog.chipped"),
        Queryable(name: "seen", type: .timestamp, sql: "dog.seen"),
        Queryable(name: "told", type: .timestamp, sql: "dog.told"),
        Queryable(name: "born", type: .date, sql: "dog.born"),
        Queryable(name: "breeds", type: .texts, sql: "dog.breeds"),
        Queryable(name: "geom", type: .geometry, sql: "dog.geom"),
        Queryable(name: "geometry", type: .geometry, sql: "dog.geom"),
    ]

    private static let rows = """
        INSERT INTO dog VALUES
            (1, 'Luna', 'nero', 2, 10.5, TRUE, '2026-05-04T10:20:30.000Z', '2026-05-04T12:00:00.000Z', '2024-02-29',
                MakePoint(11, 46, 4326), '["beagle"]'),
            (2, 'luna', 'Nero', 7, 20, FALSE, '2026-05-04T10:20:30.123Z', '2026-05-04T10:20:30.123Z', '2019-01-01',
                MakePoint(12, 45, 4326), '["beagle","boxer"]'),
            (3, 'Lùna', NULL, NULL, NULL, NULL, '2026-05-03T23:59:59.999Z', NULL, NULL, NULL, NULL),
            (4, 'Straße', '100%', 0, -1.5, TRUE, '2026-05-05T00:00:00.000Z', '2026-05-06T00:00:00.000Z', '2026-05-04',
                MakePoint(179.5, -16, 4326), '[]'),
            (5, 'STRASSE', 'a_b*c?[d]\\e', 14, 3.25, FALSE, '2025-12-31T23:59:59.000Z', '2026-01-01T00:00:00.000Z',
                '2011-11-11', MakePoint(-179.5, -17, 4326), '["boxer"]'),
            (6, 'O''Brien; DROP TABLE dog --', '', 5, 1e3, TRUE, '2026-05-04T00:00:00.000Z', '2026-05-04T23:59:59.999Z',
                '2021-05-04', MakePoint(10, 45, 4326), '["o''brien\\"",""]');
        """

    /// One database for all tests, which only read it.
    private static let onServer = PostgresTestServer.current.map { _ in
        Task {
            let database = try await TestDatabase()
            try await database.database.write { db in
                try db.run(
                    script: """
                        CREATE TABLE dog (
                            id bigint PRIMARY KEY, name text, colour text, age bigint, weight double precision,
                            chipped boolean, seen text, told text, born text, geom geometry(Point, 4326), breeds text
                        );
                        \(rows)
                        """
                )
            }
            return database
        }
    }

    private let file: StandaloneDatabase
    private let server: TestDatabase?

    init() async throws {
        file = try .inMemory()
        try file.run { db in
            try db.run(
                script: """
                    CREATE TABLE dog (
                        id INTEGER PRIMARY KEY, name TEXT, colour TEXT, age INTEGER, weight REAL, chipped INTEGER,
                        seen TEXT, told TEXT, born TEXT, geom BLOB, breeds TEXT
                    );
                    \(Self.rows)
                    """
            )
        }
        server = try await Self.onServer?.value
    }

    /// Returns the dogs that the filter accepts on SpatiaLite. Reports an issue if PostGIS accepts others.
    func ids(_ filter: CQL2Filter) throws -> [Int] {
        let found = try file.run { db in try Self.ids(filter, db) }
        if let server {
            let others = try server.database.readNow { db in try Self.ids(filter, db) }
            let condition = try filter.condition(over: Self.queryables, on: .postGIS)
            #expect(others == found, "PostGIS: \(condition)")
        }
        return found
    }

    private static func ids(_ filter: CQL2Filter, _ db: SQLConnection) throws -> [Int] {
        let condition = try filter.condition(over: queryables, on: db.engine)
        let sql = "SELECT id FROM dog WHERE \(condition.sql) ORDER BY id"
        let scan = try PreparedStatement(db, sql, condition.values, isKept: false)
        var ids: [Int] = []
        while try scan.next() { ids.append(Int(scan.integer(0))) }
        return ids
    }

    func ids(_ text: String) throws -> [Int] { try ids(CQL2Filter(text: text)) }

    /// Runs a query of one text on PostGIS; returns nil without a server.
    func onServer(_ sql: String, _ value: String) throws -> String? {
        try server?.database.readNow { db in try db.value(sql, [value]) }
    }
}
