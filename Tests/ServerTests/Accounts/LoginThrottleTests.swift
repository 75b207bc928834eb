import Credentials
import Domain
import Foundation
import HTTP
import ServerSupport
import Synchronization
import Testing

@testable import Server

@Suite("Login throttle")
struct LoginThrottleTests {
    private final class Clock: Sendable {
        private let time = Mutex(1000.0)
        var seconds: Double { time.withLock(\.self) }
        func advance(_ seconds: Double) { time.withLock { $0 += seconds } }
    }

    /// The seconds to wait, or nil if the attempt was permitted (and failed).
    private static func wait(_ failures: LoginThrottle, _ target: LoginThrottle.Target) -> Int? {
        do {
            try failures.attempt(target)
            return nil
        } catch {
            return error.retryAfter
        }
    }

    @Test("After three failures, each delay doubles up to 15 minutes")
    func delay() {
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
        // Other addresses are not affected.
        #expect(Self.wait(failures, failures.target("b@example.org", from: nil)) == nil)
        // Failures are forgotten after some time.
        clock.advance(86_400)
        for _ in 0..<3 { #expect(Self.wait(failures, target) == nil) }
    }

    @Test("An attacker has about a hundred guesses per day, and concurrent attempts count separately")
    func guessesPerDay() {
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

    @Test("Failures from many networks count together")
    func manyNetworks() throws {
        let failures = LoginThrottle { 1000 }
        let permitted = try (1...200).count { number in
            let network = try #require(NetworkAddress("9.9.\(number).9"))
            return Self.wait(failures, failures.target("anna@example.org", from: network)) == nil
        }
        #expect(permitted == 4)
    }

    @Test("Failures from elsewhere do not delay the owner in a network of an earlier login")
    func knownNetwork() throws {
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
        // Other users of the same network have three attempts, as everybody.
        for _ in 0..<2 { #expect(Self.wait(failures, failures.target(email, from: neighbour)) == nil) }
        _ = Self.wait(failures, failures.target(email, from: neighbour))
        #expect(Self.wait(failures, failures.target(email, from: home)) != nil)
    }

    @Test("Failures of a hundred thousand addresses do not delay other addresses")
    func manyAddresses() {
        let failures = LoginThrottle { 1000 }
        for number in 0..<100_000 { _ = Self.wait(failures, failures.target("\(number)@example.org", from: nil)) }
        let others = (0..<100).count {
            Self.wait(failures, failures.target("other\($0)@example.org", from: nil)) == nil
        }
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
