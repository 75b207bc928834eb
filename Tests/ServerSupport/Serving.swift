package import ServiceLifecycle

/// Runs a server while the body runs, and stops it as the program does, even if the body throws.
///
/// - Parameters:
///   - serviceGroup: creates the server, which reports its port once it listens.
///   - body: the code to run with the port.
package func serving(
    _ serviceGroup: (_ onReady: @escaping @Sendable (Int) async -> Void) -> ServiceGroup,
    _ body: (Int) async throws -> Void
) async throws {
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    let server = serviceGroup { port in
        ready.yield(port)
        ready.finish()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { ready.finish() }
            try await server.run()
        }
        var failure: (any Error)?
        do {
            guard let port = await ports.first(where: { _ in true }) else { throw TestFailure("no server started") }
            try await body(port)
        } catch {
            failure = error
        }
        // A group whose body throws would cancel the server instead.
        await server.triggerGracefulShutdown()
        try await group.waitForAll()
        if let failure { throw failure }
    }
}

/// A precondition of a test is not fulfilled.
package struct TestFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
