import SQL

/// A kind of writes that one connection runs in groups, each with statements at its end for all writes of the group.
package struct WriteBatch: Sendable {
    let name: String
    /// The size of the connection's page cache in MiB.
    var cache = 32
    /// Ends a group, in its transaction.
    let finish: @Sendable (SQLConnection) throws -> Void
    /// Prepares the connection.
    let prepare: @Sendable (SQLConnection) throws -> Void
}
