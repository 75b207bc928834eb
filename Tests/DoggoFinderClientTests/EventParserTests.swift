import Foundation
import Testing

@testable import DoggoFinderClient

@Suite("Client's events")
struct EventParserTests {
    private static let text = """
        id: 17
        retry: 100

        : still here

        id: 18
        event: listing.removed
        data: {"a":
        data:1}

        data: no name\r
        \r
        id: 19
        event: cut off
        """

    @Test("Events are the same in pieces of any length", arguments: 1...40)
    func pieces(length: Int) {
        var parser = EventParser()
        var events: [ServerSentEvent] = []
        var rest = Data(Self.text.utf8)
        while !rest.isEmpty {
            events += parser.read(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        #expect(
            events == [
                ServerSentEvent(name: "listing.removed", data: "{\"a\":\n1}"),
                ServerSentEvent(name: "message", data: "no name"),
            ])
        #expect(parser.lastID == "18", "the id of an event that was cut off does not count")
        #expect(parser.retryMilliseconds == 100)
    }

    @Test("What an interruption cut off is no part of the next event")
    func interruption() {
        var parser = EventParser()
        _ = parser.read(Data("id: 3\ndata: half".utf8))
        parser.interrupt()
        #expect(parser.read(Data("data: whole\n\n".utf8)) == [ServerSentEvent(data: "whole")])
        #expect(parser.lastID == nil)
    }

    @Test("Unknown events are left out, damaged ones are errors")
    func unknownEvents() throws {
        #expect(try ListingEvent(ServerSentEvent(name: "listing.moved", data: #"{"id": "\#(UUID())"}"#)) == nil)
        #expect(try ListingEvent(ServerSentEvent(name: "weather", data: "rain")) == nil)
        #expect(throws: DecodingError.self) {
            try ListingEvent(ServerSentEvent(name: "listing.removed", data: "{"))
        }
    }
}
