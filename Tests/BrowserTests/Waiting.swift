import Foundation
import TestSupport

extension Browser {
    /// Polls a condition until it is true.
    ///
    /// - Parameters:
    ///   - what: a description for the error message.
    ///   - isSo: the condition. Errors that occur because the page is not ready count as false.
    func wait(
        for what: String,
        atMost patience: Duration = TestSupport.patience,
        until isSo: () async throws -> Bool
    ) async throws {
        _ = try await eventually(what, patience) { try await isSo() ? true : nil }
    }

    /// Polls a closure until it returns a value.
    func eventually<Value>(
        _ what: String,
        _ patience: Duration = TestSupport.patience,
        _ value: () async throws -> Value?
    ) async throws -> Value {
        let end = ContinuousClock.now + patience
        var obstacle: WebDriver.Refusal?
        repeat {
            do {
                obstacle = nil
                if let value = try await value() { return value }
            } catch let refusal as WebDriver.Refusal where Self.passing.contains(refusal.code) {
                obstacle = refusal
            }
            try await Task.sleep(for: .milliseconds(20))
        } while .now < end
        let place = "\((try? await url()) ?? "") \((try? await title()) ?? "")"
        let shown = try? await script("return document.querySelector('main')?.innerText.slice(0, 300) ?? ''").text
        throw WaitTimeout(for: "\(what) at \(place)\(obstacle.map { " (\($0))" } ?? ""): \(shown ?? "")")
    }

    /// WebDriver errors that can occur while a page is loading or changing.
    private static let passing: Set = [
        "no such element", "stale element reference", "element not interactable", "element click intercepted",
        "no such alert", "detached shadow root",
    ]
}
