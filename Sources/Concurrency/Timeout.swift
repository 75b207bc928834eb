package import Domain

/// Runs an operation. If it takes longer than the limit, cancels it and throws `late`.
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
