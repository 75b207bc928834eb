/// What a test waited for did not happen.
package struct WaitTimeout: Error, CustomStringConvertible {
    package let description: String

    package init(for what: String) {
        description = "waited for \(what)"
    }
}

/// The time after which a test gives up waiting. It only ends a test that would never end: no test depends on the speed
/// of the machine.
package let patience = Duration.seconds(300)

/// Polls a condition until it holds.
///
/// - Parameter what: a description for the error message.
package func until(_ what: String, _ isSo: () async throws -> Bool) async throws {
    _ = try await eventually(what) { try await isSo() ? true : nil }
}

/// Polls a closure until it returns a value. The pauses grow, so that the poll does not take the processor from what it
/// waits for.
package func eventually<Value>(_ what: String, _ value: () async throws -> Value?) async throws -> Value {
    let end = ContinuousClock.now + patience
    var pause = Duration.milliseconds(5)
    repeat {
        if let value = try await value() { return value }
        try await Task.sleep(for: pause)
        pause = min(pause * 1.5, .milliseconds(100))
    } while .now < end
    throw WaitTimeout(for: what)
}
