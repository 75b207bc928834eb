import Domain

extension Browser {
    /// A message that a page or the browser wrote to the console.
    struct ConsoleMessage: Sendable, CustomStringConvertible {
        let isError: Bool
        /// The source and the text of the message.
        let description: String
    }

    /// The messages since the previous call.
    func console() async throws -> [ConsoleMessage] {
        try await session.post("/se/log", ["type": "browser"]).items.map { entry in
            ConsoleMessage(isError: entry["level"] == "SEVERE", description: entry["message"].text ?? "")
        }
    }

    /// The errors since the previous call: uncaught exceptions, missing files, and calls of `console.error`.
    func consoleErrors() async throws -> [String] {
        try await console().filter(\.isError).map(\.description)
    }
}
