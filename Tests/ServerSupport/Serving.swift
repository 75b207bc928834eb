package import Hummingbird

/// Runs a server while the body does, and stops it whatever happens.
///
/// - Parameters:
///   - application: the server, which tells its port once it listens.
///   - body: what is done meanwhile, with the port.
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

/// Something that a test stands on is not as it must be.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
