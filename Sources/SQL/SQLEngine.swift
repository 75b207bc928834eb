/// The database engine behind a connection.
package enum SQLEngine: Sendable {
    case spatiaLite
    case postGIS
}
