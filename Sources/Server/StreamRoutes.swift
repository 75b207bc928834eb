import Domain
import HTTPTypes
import Hummingbird
import NIOCore

/// The board as it changes, as Server-Sent Events.
struct StreamRoutes {
    let board: LiveBoard

    /// A line that says nothing keeps the way open, and shows who has gone.
    private static let heartbeat = Duration.seconds(15)

    func add(to router: Router<ServiceContext>) {
        router.get("/v1/listings/stream", use: watch)
    }

    @Sendable private func watch(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = try QueryReader(request, allowed: ["last_event_id"])
        let known = try query.text("last_event_id") ?? request.headers[.lastEventID]
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
                    try await Self.write(messages, to: &writer)
                }
                try await writer.finish(nil)
            }
        )
    }

    private static func write(
        _ messages: AsyncStream<LiveBoard.Message>,
        to writer: inout any ResponseBodyWriter
    ) async throws {
        for await message in messages.withHeartbeat(every: heartbeat) {
            guard let message else {
                try await writer.write(ByteBuffer(string: ":\n\n"))
                continue
            }
            try await writer.write(ByteBuffer(string: "id: \(message.id)\n"))
            try await writer.write(message.bytes)
            try await writer.write(ByteBuffer(string: "\n"))
        }
    }
}

extension AsyncStream where Element: Sendable {
    /// The elements, and nil whenever so much time has passed.
    fileprivate func withHeartbeat(every pause: Duration) -> AsyncStream<Element?> {
        AsyncStream<Element?> { continuation in
            let forwarding = Task {
                for await element in self { continuation.yield(element) }
                continuation.finish()
            }
            let beating = Task {
                while true {
                    try await Task.sleep(for: pause)
                    continuation.yield(nil)
                }
            }
            continuation.onTermination = { _ in
                forwarding.cancel()
                beating.cancel()
            }
        }
    }
}

extension HTTPField.Name {
    // Well-formed names never fail; nil would be a programming error, and `via` harmless.
    fileprivate static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .via
    fileprivate static let xAccelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .via
}
