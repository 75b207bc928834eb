import Concurrency
import HTTP
import Hummingbird

/// Determines the client of each request, once for all limits and queues.
struct ClientMiddleware: RouterMiddleware {
    let proxies: TrustedProxies

    func handle(
        _ request: Request,
        context: ServiceContext,
        next: (Request, ServiceContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.client = proxies.client(peer: context.peer, request.headers)
        let meter = RequestMeter(client: ClientPrefixes(context.client.networks))
        return try await RequestMeter.$current.withValue(meter) { try await next(request, context) }
    }
}
