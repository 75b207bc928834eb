import Concurrency
import Domain
import HTTP
import HTTPTypes
import Hummingbird
import SQL

/// Keeps long database reads away from the event loops. A GET request is first handled on the event loop of its
/// connection, with a budget that nearly all searches need only a part of. If its reads exceed this budget, it is
/// handled again by the `SlowReadExecutor`, with the full budget. Routes that nearly always exceed it go there at once.
///
/// With a database server, requests run on `DatabaseThreads` anyway.
struct SlowReadMiddleware: RouterMiddleware {
    let executor: SlowReadExecutor
    var engine = SQLEngine.spatiaLite

    /// The processor time of all reads of a request on the event loop. A search takes 0.02 to 0.6 ms.
    private static let eventLoopBudget = Duration.milliseconds(2)

    /// A comparison of a listing with all candidates takes 4 ms and more in towns. Statistics are computed in memory, which
    /// no budget of reads limits.
    static let slowRoutes: Set<String> = [
        "/v1/listings/{id}/matches", "/listings/{id}/matches", "/listings/{id}/matches/{other}", "/v1/statistics",
        "/statistics", "/statistics/{chart}",
    ]

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        guard let meter = RequestMeter.current else { return try await next(request, context) }
        guard engine == .spatiaLite, request.method == .get || request.method == .head else {
            meter.limitReads(SlowReadExecutor.budget)
            return try await next(request, context)
        }
        if let route = context.endpointPath, Self.slowRoutes.contains(route) {
            return try await executor.run(meter) { try await next(request, context) }
        }
        meter.limitReads(Self.eventLoopBudget, isTrial: true)
        do {
            let response = try await next(request, context)
            if !meter.hasExceededTrial { return response }
        } catch {
            guard meter.hasExceededTrial else { throw error }
        }
        return try await executor.run(meter) { try await next(request, context) }
    }
}
