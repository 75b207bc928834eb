/// Which servers of a PostgreSQL database may answer the reads of a task. A database file has only itself.
package enum ReadTarget: Sendable {
    /// The primary only: the reads see every write that was acknowledged.
    case primary
    /// The primary, or a standby if the primary cannot be reached.
    case primaryFirst
    /// A standby, whose answers may be some seconds old, or the primary if no standby can be used.
    case standbyFirst

    @TaskLocal package static var current = ReadTarget.primary
}
