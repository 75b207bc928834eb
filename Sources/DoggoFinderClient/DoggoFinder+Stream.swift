public import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A change of the results of a search.
public enum ListingEvent: Sendable {
    /// From now on all changes are told. Comes first, and after each interruption.
    case connected
    case created(Listing)
    case updated(Listing)
    /// The listing was deleted, or is no longer a result.
    case removed(UUID)
    /// Too much was missed: search anew.
    case reset
}

extension DoggoFinder {
    /// The changes of the board, as they happen. After an interruption, the stream connects again and continues with
    /// what was missed. It ends with an error only if the service refuses it.
    public func events(_ search: Search = Search()) -> AsyncThrowingStream<ListingEvent, any Error> {
        AsyncThrowingStream { continuation in
            let task = Task {
                do { try await follow(search) { continuation.yield($0) } } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func follow(_ search: Search, _ tell: (ListingEvent) -> Void) async throws {
        var parser = EventParser()
        while true {
            do {
                try await read(search, &parser, tell)
            } catch let error as URLError where error.code != .cancelled && error.code != .badURL {
                // The connection was interrupted.
            }
            parser.interrupt()
            try await Task.sleep(nanoseconds: parser.retryMilliseconds * 1_000_000)
        }
    }

    /// Reads one connection to its end.
    private func read(_ search: Search, _ parser: inout EventParser, _ tell: (ListingEvent) -> Void) async throws {
        var call = Call("GET", "/v1/listings/stream", query: search.parameters)
        call.headers["Accept"] = "text/event-stream"
        call.headers["Last-Event-ID"] = parser.lastID
        var status = 0
        var problem = Data()
        var isConnected = false
        for try await piece in ByteStream.open(try request(call)) {
            switch piece {
            case .status(let code): status = code
            case .bytes(let bytes) where status != 200: problem += bytes
            case .bytes(let bytes):
                // The first bytes tell the position in the log of events from which the stream tells everything.
                if !isConnected { tell(.connected) }
                isConnected = true
                for event in parser.read(bytes) {
                    if let event = try ListingEvent(event) { tell(event) }
                }
            }
        }
        if status != 200 { throw Problem(status, problem) }
    }
}

extension ListingEvent {
    private struct Change: Decodable {
        let id: UUID
        let feature: Listing?
    }

    /// Returns nil for an event that this client does not know.
    init?(_ event: ServerSentEvent) throws {
        if event.name == "reset" {
            self = .reset
            return
        }
        guard event.name.hasPrefix("listing.") else { return nil }
        let change = try JSONDecoder.wire.decode(Change.self, from: Data(event.data.utf8))
        switch (event.name, change.feature) {
        case ("listing.created", let listing?): self = .created(listing)
        case ("listing.updated", let listing?): self = .updated(listing)
        case ("listing.removed", _): self = .removed(change.id)
        default: return nil
        }
    }
}
