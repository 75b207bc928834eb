package import Hummingbird

/// Runs a server while the body runs, and stops it even if the body throws.
///
/// - Parameters:
///   - application: creates the server, which reports its port once it listens.
///   - body: the code to run with the port.
package func serving(
    _ application: (_ onReady: @escaping @Sendable (Int) async -> Void) -> some ApplicationProtocol,
    _ body: (Int) async throws -> Void
) async throws {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    let server = application { port in
        ready.yield(port)
        ready.finish()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { ready.finish() }
            try await server.runService(gracefulShutdownSignals: [])
        }
        defer { group.cancelAll() }
        guard let port = await ports.first(where: { _ in true }) else { throw TestFailure("the server did not start") }
        try await body(port)
    }
}

/// A precondition of a test is not fulfilled.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
