import Credentials
import Domain
import Foundation
import ServerSupport
import Synchronization
import Testing

@testable import Server

@Suite("Failed log-ins")
struct LoginThrottleTests {
    private final class Clock: Sendable {
        private let time = Mutex(1000.0)
        var seconds: Double { time.withLock(\.self) }
        func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    /// Seconds to wait, or nil where it was let through (and failed).
    private static func wait(_ failures: LoginThrottle, _ target: LoginThrottle.Target) -> Int? {
        do {
            try failures.attempt(target)
            return nil
        } catch {
            return error.retryAfter
        }
    }

    @Test func `After three each one waits twice as long as the one before, a quarter of an hour at most`() {
        let clock = Clock()
        let failures = LoginThrottle { clock.seconds }
        let target = failures.target("Anna@example.org", from: nil)
        for _ in 0..<3 { #expect(Self.wait(failures, target) == nil) }
        var waits: [Int] = []
        for _ in 0..<14 {
            #expect(Self.wait(failures, target) == nil)
            let wait = Self.wait(failures, failures.target("anna@EXAMPLE.org", from: nil)) ?? 0
            waits.append(wait)
            clock.advance(Double(wait))
        }
        #expect(waits.prefix(8) == [1, 2, 4, 8, 16, 32, 64, 128])
        #expect(waits.suffix(3) == [900, 900, 900])
        // Others have nothing to do with it.
        #expect(Self.wait(failures, failures.target("b@example.org", from: nil)) == nil)
        // It is forgiven in time.
        clock.advance(86_400)
        for _ in 0..<3 { #expect(Self.wait(failures, target) == nil) }
    }

    @Test func `Who goes on for a day has a hundred guesses, and a thousand at once are not one`() {
        let clock = Clock()
        let failures = LoginThrottle { clock.seconds }
        let target = failures.target("anna@example.org", from: nil)
        var guesses = 0
        for _ in 0..<86_400 {
            while Self.wait(failures, target) == nil { guesses += 1 }
            clock.advance(1)
        }
        #expect((80...120).contains(guesses))
    }

    @Test func `Where the owner signed in before, failures from elsewhere do not count`() throws {
        let clock = Clock()
        let failures = LoginThrottle { clock.seconds }
        let home = try #require(NetworkAddress("2001:db8:1:2::1"))
        let neighbour = try #require(NetworkAddress("2001:db8:1:2::9"))
        let elsewhere = try #require(NetworkAddress("9.9.9.9"))
        let email = "anna@example.org"
        failures.succeed(email, failures.target(email, from: home), from: home)
        for _ in 0..<50 { _ = Self.wait(failures, failures.target(email, from: elsewhere)) }
        #expect(Self.wait(failures, failures.target(email, from: elsewhere)) != nil)
        #expect(Self.wait(failures, failures.target(email, from: neighbour)) == nil)
        // Where others sit in the same network, they have three guesses as everybody.
        for _ in 0..<2 { #expect(Self.wait(failures, failures.target(email, from: neighbour)) == nil) }
        _ = Self.wait(failures, failures.target(email, from: neighbour))
        #expect(Self.wait(failures, failures.target(email, from: home)) != nil)
    }

    @Test func `A hundred thousand addresses that fail leave room for one more`() {
        let failures = LoginThrottle { 1000 }
        for number in 0..<100_000 { _ = Self.wait(failures, failures.target("\(number)@example.org", from: nil)) }
        let others = (0..<100).count {
            Self.wait(failures, failures.target("other\($0)@example.org", from: nil)) == nil
        }
        #expect(others >= 99)
    }

    /// So that no wait is over before the next request.
    private static let still: @Sendable () -> Double = { 1000 }

    private static func signIn(
        _ service: RunningService,
        _ email: String,
        _ password: String = "wrong horse"
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/sessions", #"{"email": "\#(email)", "password": "\#(password)"}"#)
    }

    @Test func `Known and unknown addresses are slowed alike, and so are pages`() async throws {
        try await RunningService.with(hasModel: false, monotonicClock: Self.still) { service in
            _ = try await service.register("anna@example.org")
            for email in ["anna@example.org", "nobody@example.org"] {
                var answers: [RunningService.Answer] = []
                for _ in 0..<5 { answers.append(try await Self.signIn(service, email)) }
                #expect(answers.map(\.status) == [401, 401, 401, 401, 429], "\(email)")
                #expect(answers.last?.headers["retry-after"] == "1")
                #expect(answers.last?.text("detail") == "too many wrong passwords: try again in 1 s")
                let form = ["email": email, "password": "wrong horse"]
                let page = try await FormVisitor(service).submit("/account/sign-in", form)
                #expect(page.status == 429 && page.headers["retry-after"] == "1")
                #expect(page.html.contains("Too many wrong passwords. Please try again in 1 second."))
                // The right one has to wait too.
                #expect(try await Self.signIn(service, email, "correct horse").status == 429)
            }
        }
    }

    @Test func `What is no address signs nobody in, at the cost of one that is unknown, and is slowed as well`()
        async throws
    {
        let passwords = try PasswordHasher()
        try await RunningService.with(hasModel: false, passwords: passwords, monotonicClock: Self.still) { service in
            _ = try await service.register("anna@example.org")
            let unknown = try await Self.signIn(service, "nobody@example.org", "correct horse")
            for number in 0..<5 {
                let hashes = passwords.load.done
                let answer = try await Self.signIn(service, "anna@example.org\\u0000\(number)", "correct horse")
                #expect(answer.status == 401 && answer.text("detail") == unknown.text("detail"))
                #expect(passwords.load.done == hashes + 1)
            }
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await Self.signIn(service, "no address").status) }
            #expect(statuses == [401, 401, 401, 401, 429])
            #expect(try await Self.signIn(service, " Anna@Example.org ", "correct horse").status == 201)
        }
    }

    @Test func `Who is signed in changes the password whatever orphanedFiles try, and is slowed for own failures`()
        async throws
    {
        try await RunningService.with(hasModel: false, monotonicClock: Self.still) { service in
            let token = try await service.register("anna@example.org")
            for _ in 0..<6 { _ = try await Self.signIn(service, "anna@example.org") }
            #expect(try await Self.signIn(service, "anna@example.org", "correct horse").status == 429)
            func change(_ current: String) async throws -> Int {
                let body = #"{"current_password": "\#(current)", "password": "battery staple"}"#
                return try await service.send("PATCH", "/v1/me", body, token: token).status
            }
            #expect(try await change("correct horse") == 200)
            for _ in 0..<4 { #expect(try await change("wrong horse") == 403) }
            #expect(try await change("battery staple") == 429)
        }
    }
}
