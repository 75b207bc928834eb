extension Browser {
    /// What the `alert`, `confirm` or `prompt` asks, once there is one.
    func dialog() async throws -> String {
        try await eventually("a dialog") { try await session.get("/alert/text").text }
    }

    /// Says yes to it, with an answer to a `prompt`.
    func accept(answering answer: String? = nil) async throws {
        _ = try await dialog()
        if let answer { try await session.post("/alert/text", ["text": .string(answer)]) }
        try await session.post("/alert/accept")
    }

    /// Says no to it.
    func dismiss() async throws {
        _ = try await dialog()
        try await session.post("/alert/dismiss")
    }
}
