import Migrations

/// How the schema of a database stands to this program's.
package enum SchemaAge: Sendable {
    /// It has none of this program's.
    case foreign
    case older
    case current
    case newer

    init(version: Int) {
        let newest = Migration.all.count
        self = version <= 0 ? .foreign : version < newest ? .older : version == newest ? .current : .newer
    }
}
