import Foundation

extension Browser {
    /// How long tests wait for what must come. Other tests keep the machine busy: it has time.
    static let patience = Duration.seconds(90)

    /// Waited in vain.
    struct WaitTimeout: Error, CustomStringConvertible {
        let description: String
    }

    /// Asks again and again until it is so.
    ///
    /// - Parameters:
    ///   - what: what is waited for, as a failed test tells it.
    ///   - isSo: where it meets a page that is not ready, the answer is no.
    func wait(for what: String, atMost patience: Duration = patience, until isSo: () async throws -> Bool) async throws
    {
        _ = try await eventually(what, patience) { try await isSo() ? true : nil }
    }

    /// The first value there is.
    func eventually<Value>(
        _ what: String,
        _ patience: Duration = patience,
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
        let place = (try? await url()) ?? ""
        throw WaitTimeout(description: "waited for \(what) at \(place)\(obstacle.map { " (\($0))" } ?? "")")
    }

    /// Refusals that a page in motion gives.
    private static let passing: Set = [
        "no such element", "stale element reference", "element not interactable", "element click intercepted",
        "no such alert", "detached shadow root",
    ]
}
