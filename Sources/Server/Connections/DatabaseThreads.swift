import HTTP
import Hummingbird
import SQL
import ServiceLifecycle
import Storage

/// The threads on which requests and jobs wait for a database server. A database file needs none.
///
/// Stores wait on the caller's thread, because the statements of a transaction depend on each other. Event loops and
/// Swift's cooperative threads must not wait, so everything that may read or write runs here instead.
struct DatabaseThreads: Sendable {
    /// More threads than connections, so that requests that need none do not wait for those that wait for one.
    private static let server = ThreadPoolExecutor(threads: 4 * PostgresDatabase.readers)

    private let executor: ThreadPoolExecutor?

    init(_ database: any Database) {
        executor = database.engine == .postGIS ? Self.server : nil
    }

    func run<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        guard let executor else { return try await body() }
        return try await withTaskExecutorPreference(executor, operation: body)
    }

    /// Handles requests on these threads, and decides which servers may answer their reads.
    struct Middleware: RouterMiddleware {
        let threads: DatabaseThreads
        let cookie: SessionCookie

        func handle(
            _ request: Request,
            context: ServiceContext,
            next: (Request, ServiceContext) async throws -> Response
        ) async throws -> Response {
            guard threads.executor != nil else { return try await next(request, context) }
            return try await ReadTarget.$current.withValue(target(of: request)) {
                try await threads.run { try await next(request, context) }
            }
        }

        /// A client with a session must see its own writes. A client without one cannot have written anything.
        private func target(of request: Request) -> ReadTarget {
            guard request.isSafe else { return .primary }
            let isKnown = request.headers.contains(.authorization) || cookie.token(in: request) != nil
            return isKnown ? .primaryFirst : .standbyFirst
        }
    }

    /// Runs a service on these threads.
    struct Service: ServiceLifecycle.Service {
        let threads: DatabaseThreads
        let service: any ServiceLifecycle.Service

        func run() async throws { try await threads.run { try await service.run() } }
    }
}
