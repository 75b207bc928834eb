package import Domain

/// Waits so long and no longer: what takes its time is cancelled.
package func withTimeout<Value: Sendable>(
    _ limit: Duration,
    orElse late: ServiceError,
    _ body: @Sendable @escaping () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value.self) { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(for: limit)
            throw late
        }
        defer { group.cancelAll() }
        guard let value = try await group.next() else { throw late }
        return value
    }
}
