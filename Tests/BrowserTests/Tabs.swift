import Domain

extension Browser {
    /// The one that is looked at.
    func tab() async throws -> String { try await session.get("/window").text ?? "" }

    /// Opens one more, and looks at it.
    func openTab() async throws {
        let opened = try await session.post("/window/new", ["type": "tab"])
        try await go(to: opened["handle"].text ?? "")
    }

    func go(to tab: String) async throws { try await session.post("/window", ["handle": .string(tab)]) }
}
