import Concurrency
import Testing

/// The parent suite of all browser tests, which are nested suites in extensions. One chromedriver runs for all of them.
@Suite("Browser tests", .enabled(Chromedriver.absence, Chromedriver.isInstalled), .driven, .inTurns)
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

/// Limits the number of tests that run at the same time, because each browser needs much memory and CPU time.
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
