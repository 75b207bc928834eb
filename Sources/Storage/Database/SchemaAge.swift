import Migrations
import SQL

/// The schema version of a database, compared with the version that this program uses.
package enum SchemaAge: Sendable {
    /// The file has no version number of this program: it is a different database.
    case foreign
    case older
    case current
    case newer

    init(version: Int, newest: Int = Migration.all.count) {
        self = version <= 0 ? .foreign : version < newest ? .older : version == newest ? .current : .newer
    }
}

extension Database {
    /// Compares the schema with this program's.
    package func schemaAge() throws -> SchemaAge {
        try readNow { db in try db.schemaAge }
    }
}

extension SQLConnection {
    /// Compares the schema with the newest one of the engine.
    var schemaAge: SchemaAge {
        get throws {
            let newest = engine == .spatiaLite ? Migration.all.count : Migration.postGIS.last?.number ?? 0
            return SchemaAge(version: try schemaVersion, newest: newest)
        }
    }
}
