import Concurrency
import Credentials
import Domain
import Foundation
import HTTP
import ServerSupport
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("Login throttle")
struct LoginThrottleTests {
    private final class Clock: Sendable {
        private let time = Mutex(1000.0)
        var seconds: Double { time.withLock(\.self) }
        func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    /// Counts in memory, or on the PostgreSQL server of the tests.
    private static func throttle(_ clock: @escaping @Sendable () -> Double) async throws -> LoginThrottle {
        LoginThrottle(try await TestDatabase().database.limitCounters(clock: clock))
    }

    /// The seconds to wait, or nil if the attempt was permitted (and failed).
    private static func wait(
        _ failures: LoginThrottle,
        _ name: String,
        from network: NetworkAddress? = nil
    ) async throws -> Int? {
        do {
            _ = try await failures.attempt(signInTo: name, from: network)
            return nil
        } catch let error as ServiceError where error.code == .tooManyRequests {
            return error.retryAfter
        }
    }

    @Test("After three failures, each delay doubles up to 15 minutes")
    func delay() async throws {
        let clock = Clock()
        let failures = try await Self.throttle { clock.seconds }
        for _ in 0..<3 { #expect(try await Self.wait(failures, "Anna@example.org") == nil) }
        var waits: [Int] = []
        for _ in 0..<14 {
            #expect(try await Self.wait(failures, "Anna@example.org") == nil)
            let wait = try await Self.wait(failures, "anna@EXAMPLE.org") ?? 0
            waits.append(wait)
            clock.advance(Double(wait))
        }
        #expect(waits.prefix(8) == [1, 2, 4, 8, 16, 32, 64, 128])
        #expect(waits.suffix(3) == [900, 900, 900])
        // Other addresses are not affected.
        #expect(try await Self.wait(failures, "b@example.org") == nil)
        // Failures are forgotten after some time.
        clock.advance(86_400)
        for _ in 0..<3 { #expect(try await Self.wait(failures, "anna@example.org") == nil) }
    }

    @Test("An attempt that is cancelled does not count, and a success forgives all failures")
    func cancel() async throws {
        let failures = try await Self.throttle { 1000 }
        let name = "anna@example.org"
        for _ in 0..<3 { #expect(try await Self.wait(failures, name) == nil) }
        try await failures.cancelAttempt(failures.attempt(signInTo: name, from: nil))
        let target = try await failures.attempt(signInTo: name, from: nil)
        #expect(try await Self.wait(failures, name) == 1)
        try await failures.succeed(name, target, from: nil)
        // The network, here an unknown one, is known from now on, and so has a count of its own.
        for _ in 0..<4 { #expect(try await Self.wait(failures, name) == nil) }
        #expect(try await Self.wait(failures, name) == 1)
        let session = LoginThrottle.Target.session(Data("token".utf8))
        for _ in 0..<4 { try await failures.attempt(session) }
        await #expect(throws: ServiceError.self) { try await failures.attempt(session) }
        try await failures.forgive(session)
        try await failures.attempt(session)
    }

    @Test("An attacker has about a hundred guesses per day, and concurrent attempts count separately")
    func guessesPerDay() async throws {
        let clock = Clock()
        let failures = LoginThrottle(LocalLimitCounters { clock.seconds })
        var guesses = 0
        for _ in 0..<86_400 {
            while try await Self.wait(failures, "anna@example.org") == nil { guesses += 1 }
            clock.advance(1)
        }
        #expect((80...120).contains(guesses))
    }

    @Test("Failures from many networks count together")
    func manyNetworks() async throws {
        let failures = try await Self.throttle { 1000 }
        var permitted = 0
        for number in 1...200 {
            let network = try #require(NetworkAddress("9.9.\(number).9"))
            if try await Self.wait(failures, "anna@example.org", from: network) == nil { permitted += 1 }
        }
        #expect(permitted == 4)
    }

    @Test("Failures from elsewhere do not delay the owner in a network of an earlier login")
    func knownNetwork() async throws {
        let clock = Clock()
        let failures = try await Self.throttle { clock.seconds }
        let home = try #require(NetworkAddress("2001:db8:1:2::1"))
        let neighbour = try #require(NetworkAddress("2001:db8:1:2::9"))
        let elsewhere = try #require(NetworkAddress("9.9.9.9"))
        let email = "anna@example.org"
        try await failures.succeed(email, failures.attempt(signInTo: email, from: home), from: home)
        for _ in 0..<50 { _ = try await Self.wait(failures, email, from: elsewhere) }
        #expect(try await Self.wait(failures, email, from: elsewhere) != nil)
        #expect(try await Self.wait(failures, email, from: neighbour) == nil)
        // Other users of the same network have three attempts, as everybody.
        for _ in 0..<2 { #expect(try await Self.wait(failures, email, from: neighbour) == nil) }
        _ = try await Self.wait(failures, email, from: neighbour)
        #expect(try await Self.wait(failures, email, from: home) != nil)
        // The network is forgotten after 90 days.
        clock.advance(90 * 86_400)
        for _ in 0..<4 { #expect(try await Self.wait(failures, email, from: elsewhere) == nil) }
        #expect(try await Self.wait(failures, email, from: home) != nil)
    }

    @Test("Failures of a hundred thousand addresses do not delay other addresses")
    func manyAddresses() async throws {
        let failures = LoginThrottle(LocalLimitCounters { 1000 })
        for number in 0..<100_000 { _ = try await Self.wait(failures, "\(number)@example.org") }
        var others = 0
        for number in 0..<100 where try await Self.wait(failures, "other\(number)@example.org") == nil { others += 1 }
        #expect(others >= 99)
    }

    /// A clock that does not advance, so that no delay ends before the next request.
    private static let still: @Sendable () -> Double = { 1000 }

    private static func signIn(
        _ service: RunningService,
        _ email: String,
        _ password: String = "wrong horse"
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/sessions", #"{"email": "\#(email)", "password": "\#(password)"}"#)
    }

    @Test("Known and unknown addresses are delayed equally, also on pages")
    func unknownAddresses() async throws {
        try await RunningService.with(hasModel: false, monotonicClock: Self.still) { service in
            _ = try await service.register("anna@example.org")
            for email in ["anna@example.org", "nobody@example.org"] {
                var answers: [RunningService.Answer] = []
                for _ in 0..<5 { answers.append(try await Self.signIn(service, email)) }
                #expect(answers.map(\.status) == [401, 401, 401, 401, 429], "\(email)")
                #expect(answers.last?.headers["retry-after"] == "1")
                #expect(answers.last?.text("detail") == "too many wrong passwords or codes: try again in 1 s")
                let form = ["email": email, "password": "wrong horse"]
                let page = try await FormVisitor(service).submit("/account/sign-in", form)
                #expect(page.status == 429 && page.headers["retry-after"] == "1")
                #expect(page.html.contains("Too many requests in a short time. Please try again in 1 second."))
                // The right password is delayed, too.
                #expect(try await Self.signIn(service, email, "correct horse").status == 429)
            }
        }
    }

    @Test("An invalid address costs as much as an unknown one and is delayed as well")
    func invalidAddresses()
        async throws
    {
        let passwords = PasswordHasher()
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

    @Test("A signed-in user can change the password during an attack and is delayed for own failures only")
    func signedIn()
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
