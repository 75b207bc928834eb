extension Browser {
    /// Waits for an `alert`, `confirm` or `prompt` and returns its text.
    func dialog() async throws -> String {
        try await eventually("a dialog") { try await session.get("/alert/text").text }
    }

    /// Accepts the dialog, with an answer if it is a `prompt`.
    func accept(answering answer: String? = nil) async throws {
        _ = try await dialog()
        if let answer { try await session.post("/alert/text", ["text": .string(answer)]) }
        try await session.post("/alert/accept")
    }

    /// Cancels the dialog.
    func dismiss() async throws {
        _ = try await dialog()
        try await session.post("/alert/dismiss")
    }
}
