import Domain

extension Browser {
    /// What pages wrote to the console, and what the browser complained of there.
    struct Remark: Sendable, CustomStringConvertible {
        let isError: Bool
        /// Where from and what.
        let description: String
    }

    /// Since the last time it was asked.
    func console() async throws -> [Remark] {
        try await session.post("/se/log", ["type": "browser"]).items.map { entry in
            Remark(isError: entry["level"] == "SEVERE", description: entry["message"].text ?? "")
        }
    }

    /// Errors alone: exceptions that nobody caught, files that are not there, `console.error`.
    func consoleErrors() async throws -> [String] {
        try await console().filter(\.isError).map(\.description)
    }
}
