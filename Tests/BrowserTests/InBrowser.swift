import Concurrency
import Testing

/// All tests that look at pages: suites of their own in extensions of this one, around which one chromedriver runs.
@Suite("In a browser", .enabled(Chromedriver.absence, Chromedriver.isInstalled), .driven, .inTurns)
enum InBrowser {}

/// Runs chromedriver around a suite.
struct Driven: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Chromedriver.run { driver in
            try await Chromedriver.$current.withValue(driver) { try await function() }
        }
    }
}

/// Lets few tests run side by side, as browsers are heavy.
struct InTurns: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    private static let turns = AsyncSemaphore(permits: 3, maxWaiting: .max)

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.turns.withPermit { try await function() }
    }
}

extension Trait where Self == Driven {
    static var driven: Driven { Driven() }
}

extension Trait where Self == InTurns {
    static var inTurns: InTurns { InTurns() }
}
