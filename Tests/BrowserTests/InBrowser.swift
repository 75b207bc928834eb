import Concurrency
import Testing

/// The parent suite of all browser tests, which are nested suites in extensions. One chromedriver runs for all of them.
@Suite(
    "Browser tests",
    .enabled(Chromedriver.absence, Chromedriver.isInstalled),
    .withChromedriver,
    .limitedConcurrency
)
enum InBrowser {}

/// Runs chromedriver around a suite.
struct WithChromedriver: SuiteTrait, TestScoping {
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
struct LimitedConcurrency: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true
    private static let semaphore = AsyncSemaphore(permits: 3, maxWaiting: .max)

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        try await Self.semaphore.withPermit { try await function() }
    }
}

extension Trait where Self == WithChromedriver {
    static var withChromedriver: WithChromedriver { WithChromedriver() }
}

extension Trait where Self == LimitedConcurrency {
    static var limitedConcurrency: LimitedConcurrency { LimitedConcurrency() }
}
