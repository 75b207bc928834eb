import Domain
import Foundation
import Logging
import Synchronization
import TestSupport
import Testing

@testable import Mapillary

@Suite("Street pictures")
struct StreetPicturesTests {
    private static let token = "MLY|12345|secret"
    private static let some = #"{"data":[{"id":"498763468214164"}]}"#
    private static let none = #"{"data":[]}"#

    private let log = RecordedLog()
    private let clock = Clock()

    private func pictures(
        _ server: ScriptedHTTPServer,
        limits: StreetPictures.Limits = .init()
    ) throws -> StreetPictures {
        try pictures(at: server.address, limits)
    }

    private func pictures(at address: URL?, _ limits: StreetPictures.Limits = .init()) throws -> StreetPictures {
        let logger = Logger(label: "test") { [log] _ in log }
        let reading: @Sendable () -> Double = { [clock] in clock.now }
        return try #require(
            StreetPictures(token: Self.token, address: address, limits: limits, logger: logger, clock: reading)
        )
    }

    private static var patient: StreetPictures.Limits {
        var limits = StreetPictures.Limits()
        limits.maxWait = .seconds(600)
        limits.requestTime = 600_000
        return limits
    }

    private static func place(_ number: Int = 0) throws -> Coordinate {
        try #require(Coordinate(lon: 14.79 + Double(number) / 100, lat: 40.77))
    }

    @Test("Mapillary is asked for one picture in a box around the place, with the token in a header")
    func request() async throws {
        let server = try ScriptedHTTPServer(.body(Self.some))
        defer { server.stop() }
        #expect(try await pictures(server).areLikely(near: try Self.place()) == true)
        let request = try #require(server.requests.first)
        #expect(
            request.hasPrefix(
                "GET /images?fields=id&limit=1&bbox=14.789406,40.769550,14.790594,40.770450 HTTP/1.1\r\n"
            )
        )
        #expect(request.contains("\r\nAuthorization: OAuth MLY|12345|secret\r\n"))
        #expect(log.text.isEmpty)
    }

    @Test("Answers without pictures, errors and anything unexpected are told apart")
    func answers() async throws {
        let long = String(repeating: "x", count: 65_000)
        let cases: [(ScriptedHTTPServer.Answer, Bool?)] = [
            (.body(Self.none), false), (.body(#"{"data":[{"id":"1"}],"x":"\#(long)"}"#), true),
            (.body(#"{"data":[{"id":"1"}],"x":"\#(long)\#(long)"}"#), nil), (.body(""), nil),
            (.body("<html>\(Self.token)</html>"), nil), (.body(#"{"data":[{}]}"#), nil),
            (.body(Self.some, status: "500 Internal Server Error"), nil),
            (.body(Self.some, status: "401 Unauthorized"), nil), (.body(Self.some, status: "204 No Content"), nil),
        ]
        for (answer, likely) in cases {
            let server = try ScriptedHTTPServer(answer)
            defer { server.stop() }
            #expect(try await pictures(server).areLikely(near: try Self.place()) == likely, "\(answer)")
            #expect(server.requests.count == 1)
        }
        #expect(log.lines == cases.count { $0.1 == nil })
        #expect(log.text.contains("reply 401") && !log.text.contains("secret") && !log.text.contains("14.7905"))
    }

    @Test("Redirects are not followed")
    func redirect() async throws {
        let target = try ScriptedHTTPServer(.body(Self.some))
        let server = try ScriptedHTTPServer(
            .body(Self.some, status: "302 Found", location: target.address?.absoluteString)
        )
        defer {
            target.stop()
            server.stop()
        }
        #expect(try await pictures(server).areLikely(near: try Self.place()) == nil)
        #expect(server.requests.count == 1 && target.requests.isEmpty)
        #expect(log.text.contains("reply 302"))
    }

    // libcurl's own time limit is five minutes.
    @Test("A server that does not answer is given up after three seconds", .timeLimit(.minutes(4)))
    func silence() async throws {
        let server = try ScriptedHTTPServer(.none)
        defer { server.stop() }
        var limits = StreetPictures.Limits()
        #expect(limits.requestTime == 3_000)
        limits.requestTime = 300
        #expect(try await pictures(server, limits: limits).areLikely(near: try Self.place()) == nil)
    }

    @Test("A cancelled task does not wait for the answer")
    func cancellation() async throws {
        let server = try ScriptedHTTPServer(.none)
        defer { server.stop() }
        var limits = StreetPictures.Limits()
        limits.requestTime = 600_000
        let pictures = try pictures(server, limits: limits)
        let place = try Self.place()
        let task = Task { try await pictures.areLikely(near: place) }
        try await until("the request") { !server.requests.isEmpty }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(log.text.isEmpty)
    }

    @Test("Other machines are asked by HTTPS only")
    func plainHTTP() async throws {
        // An address for documentation (RFC 5737), which nobody has.
        #expect(try await pictures(at: URL(string: "http://192.0.2.1")).areLikely(near: try Self.place()) == nil)
        #expect(log.text.contains("Unsupported protocol"))
    }

    @Test("Answers are kept for a day, and failures for a minute")
    func cache() async throws {
        for (answer, lifetime) in [(Self.some, 86_400.0), (Self.none, 86_400), ("{}", 60)] {
            let server = try ScriptedHTTPServer(.body(answer))
            defer { server.stop() }
            let pictures = try pictures(server)
            let first = try await pictures.areLikely(near: try Self.place())
            clock.advance(lifetime - 1)
            #expect(try await pictures.areLikely(near: try Self.place()) == first)
            #expect(server.requests.count == 1)
            clock.advance(2)
            #expect(try await pictures.areLikely(near: try Self.place()) == first)
            #expect(server.requests.count == 2)
            _ = try await pictures.areLikely(near: try Self.place(1))
            #expect(server.requests.count == 3)
        }
    }

    @Test("The cache holds 10,000 answers, and the oldest gives way to a new one")
    func cacheSize() throws {
        var cache = AnswerCache()
        for number in 0...10_000 { cache.put(true, for: try Self.place(number % 10_001), now: Double(number)) }
        #expect(cache.count == 10_000)
        #expect(cache.answer(for: try Self.place(0), now: 10_000) == nil)
        #expect(cache.answer(for: try Self.place(1), now: 10_000)?.isLikely == true)
        #expect(cache.answer(for: try Self.place(10_000), now: 10_000)?.isLikely == true)
        cache.put(false, for: try Self.place(-1), now: 100_000)
        #expect(cache.count == 1)
    }

    @Test("At most four requests run at once, and several for one place become one")
    func requestsAtOnce() async throws {
        let server = try ScriptedHTTPServer(.body(Self.some), isHeld: true)
        defer { server.stop() }
        let pictures = try pictures(server, limits: Self.patient)
        let places = try (0..<12).map(Self.place)
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            for place in places { group.addTask { try? await pictures.areLikely(near: place) } }
            try await until("four requests") { server.requests.count >= 4 }
            server.release()
            for try await likely in group { #expect(likely == true) }
        }
        #expect(server.requests.count == 12)
        #expect(server.mostAtOnce == 4)
        let place = try Self.place(-1)
        await withTaskGroup(of: Bool?.self) { group in
            for _ in 0..<12 { group.addTask { try? await pictures.areLikely(near: place) } }
            for await likely in group { #expect(likely == true) }
        }
        #expect((13...16).contains(server.requests.count))
    }

    @Test("If too many requests wait, the answer is unknown, and the place is asked about again later")
    func fullQueue() async throws {
        let server = try ScriptedHTTPServer(.body(Self.some), isHeld: true)
        defer { server.stop() }
        var limits = Self.patient
        limits.requestsAtOnce = 1
        limits.maxWaiting = 1
        let pictures = try pictures(server, limits: limits)
        let places = try (0..<3).map(Self.place)
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            for place in places { group.addTask { try? await pictures.areLikely(near: place) } }
            #expect(try await group.next() == .some(nil))
            server.release()
            for try await likely in group { #expect(likely == true) }
        }
        #expect(server.requests.count == 2 && log.lines == 1)
        for place in places { #expect(try await pictures.areLikely(near: place) == true) }
        #expect(server.requests.count == 3)
    }

    @Test("Every box is valid and smaller than the API requires")
    func boxes() throws {
        for (lon, lat) in [(14.79, 40.77), (180, 0), (-180, 89.9999), (0, 90), (0.000_01, -90), (-0.000_01, 0)] {
            let box = StreetPictures.box(around: try #require(Coordinate(lon: lon, lat: lat)))
            let numbers = box.split(separator: ",").compactMap { Double($0) }
            try #require(numbers.count == 4 && !box.contains("e"))
            #expect(numbers[0] < numbers[2] && numbers[1] < numbers[3])
            #expect((-180.0...180).contains(numbers[0]) && (-180.0...180).contains(numbers[2]))
            #expect((-90.0...90).contains(numbers[1]) && (-90.0...90).contains(numbers[3]))
            #expect((numbers[2] - numbers[0]) * (numbers[3] - numbers[1]) < 0.01)
        }
    }

    @Test("A token that cannot stand in a header is refused", arguments: ["", "a b", "a\r\nX: y", "tokèn"])
    func tokens(token: String) {
        #expect(StreetPictures(token: token, logger: Logger(label: "test")) == nil)
    }
}

private final class Clock: Sendable {
    private let time = Mutex(0.0)

    var now: Double { time.withLock(\.self) }

    func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
}

/// Keeps what is logged.
private final class RecordedLog: LogHandler {
    private let records = Mutex<[String]>([])

    var text: String { records.withLock { $0.joined(separator: "\n") } }
    var lines: Int { records.withLock(\.count) }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        records.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}
