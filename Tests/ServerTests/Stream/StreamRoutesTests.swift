import Domain
import Foundation
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Event stream")
struct StreamRoutesTests {
    struct Event: Equatable {
        var id: String?
        var type: String?
        var data: JSONValue?
    }

    /// Reads a stream with a common program.
    static func follow(
        _ address: String,
        lastEventID: String? = nil,
        until enough: @Sendable @escaping ([Event]) -> Bool,
        while body: () async throws -> Void
    ) async throws -> [Event] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments =
            ["-sN", "--max-time", "300", address] + (lastEventID.map { ["-H", "Last-Event-ID: \($0)"] } ?? [])
        let pipe = Pipe()
        process.standardOutput = pipe
        let (lines, told) = AsyncStream.makeStream(of: String.self)
        try process.run()
        // A thread is used instead of a task, because reading blocks and would occupy the threads of the server.
        Thread.detachNewThread {
            var rest = Data()
            while case let piece = pipe.fileHandleForReading.availableData, !piece.isEmpty {
                rest += piece
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    told.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest = rest[(end + 1)...]
                }
            }
            told.finish()
        }
        defer { process.terminate() }
        var events = [Event()]
        var hasBegun = false
        for await line in lines {
            if line.isEmpty {
                if !hasBegun {
                    hasBegun = true
                    try await body()
                }
                if enough(events) { break }
                events.append(Event())
            } else {
                events[events.count - 1].read(line)
            }
        }
        return events.filter { $0.type != nil }
    }

    @Test("Events contain the public data of a listing")
    func events() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            func told(_ body: () async throws -> Void) async throws -> Event? {
                try await Self.follow(
                    service.base + "/v1/listings/stream",
                    until: { $0.contains { $0.type != nil } },
                    while: body
                ).first
            }
            var id = ""
            let created = try await told {
                id = try await service.post(
                    #"{"status": "lost", "name": "Argo", "lon": 14.79, "lat": 40.77, "contact_phone": "089 71234", "microchip": "380260000000001", "secret_mark": "scar"}"#,
                    token
                )
            }
            #expect(created?.type == "listing.created" && "\(created as Any)".contains("Argo"))
            #expect(!"\(created as Any)".contains("71234") && !"\(created as Any)".contains("380260000000001"))
            #expect(!"\(created as Any)".contains("scar") && "\(created as Any)".contains("asks_for_mark"))
            let edited = try await told {
                try await service.send("PATCH", "/v1/listings/\(id)", #"{"name": "Bobi"}"#, token: token)
            }
            #expect(edited?.type == "listing.updated" && "\(edited as Any)".contains("Bobi"))
            let reunited = try await told {
                try await service.send("PATCH", "/v1/listings/\(id)", #"{"status": "reunited"}"#, token: token)
            }
            #expect(reunited?.type == "listing.removed" && reunited?.data == .object(["id": .string(id)]))
            let removed = try await told { try await service.send("DELETE", "/v1/listings/\(id)", token: token) }
            #expect(removed?.type == "listing.removed" && removed?.data == .object(["id": .string(id)]))
        }
    }

    @Test("A client that reconnects gets the missed events, or a reset if there were too many")
    func reconnect() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let bounds = try EventStore(service.board.database).bounds()
            let before = try #require(bounds).upperBound
            _ = try await service.post(#"{"status": "lost", "place": "Fisciano"}"#, token)
            let missed = try await Self.follow(
                service.base + "/v1/listings/stream",
                lastEventID: "\(before)",
                until: { $0.contains { $0.type == "listing.created" } }
            ) {}
            #expect(missed.map(\.type) == ["listing.created"])
            let future = try await Self.follow(
                service.base + "/v1/listings/stream",
                lastEventID: "999999",
                until: { $0.contains { $0.type == "reset" } }
            ) {}
            #expect(future.map(\.type) == ["reset"])
            let refused = try await service.send("GET", "/v1/listings/stream", headers: ["Last-Event-ID": "x"])
            #expect(refused.status == 400 && refused.text("field") == "Last-Event-ID")
            let other = try await service.send("GET", "/v1/listings/stream?last_event_id=x")
            #expect(other.status == 400 && other.text("field") == "last_event_id")
        }
    }

    @Test("With a filter, the stream reports listings that enter, change and leave it, as a search would")
    func filters() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            /// The event that `body` causes.
            func told(_ body: () async throws -> Void) async throws -> String? {
                let last = try EventStore(service.board.database).bounds()?.upperBound ?? 0
                try await body()
                let blocks = try await Self.follow(
                    service.base + "/v1/listings/stream?bbox=14.5,40.5,15,41&species=dog",
                    lastEventID: "\(last)",
                    until: { $0.count == 2 }
                ) {}
                return blocks.first?.type
            }
            // This listing is far away, so the stream must not report it.
            var id = ""
            let posted = try await told {
                id = try await service.post(#"{"status": "lost", "lon": 9.19, "lat": 45.46}"#, token)
            }
            #expect(posted == nil)
            for (patch, event) in [
                (#"{"lon": 14.79, "lat": 40.77}"#, "updated"), (#"{"name": "Argo"}"#, "updated"),
                (#"{"species": "cat"}"#, "removed"), (#"{"species": "dog"}"#, "updated"),
                (#"{"status": "reunited"}"#, "removed"), (#"{"status": "lost"}"#, "updated"),
                (#"{"lon": 9.19, "lat": 45.46}"#, "removed"),
            ] {
                let edited = try await told {
                    try await service.send("PATCH", "/v1/listings/\(id)", patch, token: token)
                }
                #expect(edited == "listing.\(event)", "\(patch)")
            }
            let near = try await told {
                _ = try await service.post(#"{"status": "lost", "lon": 14.79, "lat": 40.77}"#, token)
            }
            #expect(near == "listing.created")
        }
    }

    @Test("Invalid searches, and parameters that do not apply to single listings, are rejected")
    func refusals() async throws {
        try await RunningService.with(hasModel: false) { service in
            for (query, field) in [
                ("bbox=1,2", "bbox"), ("status=gone", "status"), ("sort=distance", "sort"), ("radius=5", "radius"),
            ] {
                let refused = try await service.send("GET", "/v1/listings/stream?\(query)")
                #expect(refused.status == 400 && refused.text("field") == field)
            }
        }
    }

    @Test("A hidden listing is reported as removed")
    func hidden() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            let store = ListingStore(service.board.database)
            let id = try await service.post(#"{"status": "lost", "name": "Argo", "place": "Fisciano"}"#, token)
            let uuid = try #require(UUID(uuidString: id))
            let listing = try #require(try await store.findListing(id: uuid))
            let events = try await Self.follow(
                service.base + "/v1/listings/stream",
                until: { $0.contains { $0.type != nil } }
            ) { try await service.board.hide(listing) }
            #expect(events.map(\.type) == ["listing.removed"])
            #expect(!"\(events)".contains("Argo"))
        }
    }
}

extension StreamRoutesTests.Event {
    fileprivate mutating func read(_ line: String) {
        let parts = line.split(separator: ": ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return }
        switch parts[0] {
        case "id": id = parts[1]
        case "event": type = parts[1]
        case "data": data = try? JSONDecoder().decode(JSONValue.self, from: Data(parts[1].utf8))
        default: break
        }
    }
}
