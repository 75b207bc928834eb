import Domain
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// The board as it changes, as Server-Sent Events.
struct StreamRoutes {
    let board: LiveBoard

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/stream", use: watch)
    }

    @Sendable private func watch(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try QueryReader(request, allowed: ["last_event_id"])
        // The header is newer: a browser that comes back sends both.
        let known = try request.headers[.lastEventID] ?? query.text("last_event_id")
        let last = try known.map { text in
            guard let id = Int64(text), id >= 0 else {
                throw ServiceError.invalid("Last-Event-ID", "expected the number of an event, like 1234")
            }
            return id
        }
        let messages = try await board.watch(after: last)
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream", .cacheControl: "no-store",
                // Proxies such as nginx gather answers unless they are told not to.
                .xAccelBuffering: "no",
            ],
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    for await message in messages.cancelOnGracefulShutdown() { try await writer.write(message) }
                }
                try await writer.finish(nil)
            }
        )
    }
}

extension HTTPField.Name {
    // Well-formed names never fail; nil would be a programming error, and `via` harmless.
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
    fileprivate static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .via
}
