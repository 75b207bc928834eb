import SQL

/// The connection on which `GroupCommit` writes.
protocol GroupWriter: Sendable {
    /// Runs `work` on the thread of the connection, after the work that was given before.
    func schedule(_ work: @escaping @Sendable (any GroupTransactions) -> Void)

    /// How long a write may wait for its group; nil without a limit.
    var maxWait: Duration? { get }

    /// Returns whether an error would occur in a smaller group, too, so that splitting the group is useless.
    func affectsAllWrites(_ error: any Error) -> Bool

    /// Frees memory that only speeds up writes.
    func releaseCache()

    func close() throws
}

/// Runs the transactions of a `GroupWriter`, on its thread.
protocol GroupTransactions {
    /// Makes the connection ready for a group. If this throws, all writes of the group fail.
    func prepare() throws

    /// Runs `body` in a transaction, which is stored safely when this method returns. May run `body` again.
    func run(_ body: (SQLConnection) throws -> Void) throws
}
