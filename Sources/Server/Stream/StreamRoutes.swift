import Domain
import HTTP
import HTTPTypes
import Hummingbird
import NIOCore
import Storage

/// The changes of the listings as server-sent events.
struct StreamRoutes {
    let site: Site
    let board: ListingEventBroadcaster

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/stream", use: watch)
    }

    @Sendable private func watch(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let wanted = try site.queries.read(request)
        let last = try lastEvent(request)
        let permit = try takePermit(context.client)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: CacheControl.noStore,
                // Proxies such as nginx buffer responses unless this header is present.
                .xAccelBuffering: "no",
            ],
            body: ResponseBody { [board] writer in
                defer { withExtendedLifetime(permit) {} }
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await board.follow(ListingMatcher(wanted), after: last) { try await writer.write($0) }
                }
                try await writer.finish(nil)
            }
        )
    }

    private func takePermit(_ client: NetworkAddress) throws(ServiceError) -> PerAddressLimit.Permit {
        do {
            return try board.permits.take(client.isLoopback ? nil : client)
        } catch {
            switch error {
            case .full:
                throw ServiceError(.unavailable, "as many watch the board as may: try again in a moment")
            case .perAddressLimitReached:
                throw ServiceError(.tooManyRequests, "too many watch the board from one address: wait for some to end")
            }
        }
    }

    private func lastEvent(_ request: Request) throws -> Int64? {
        let parameter = try request.queryReader().text("last_event_id")
        // The header is newer than the parameter: a browser that reconnects sends both.
        let header = request.headers[.lastEventID]
        guard let text = header ?? parameter else { return nil }
        guard let id = Int64(text), id >= 0 else {
            let name = header == nil ? "last_event_id" : "Last-Event-ID"
            throw ServiceError.invalid(name, "expected the number of an event, like 1234")
        }
        return id
    }
}
