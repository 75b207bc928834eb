import Domain

extension Browser {
    /// The handle of the current tab.
    func tab() async throws -> String { try await session.get("/window").text ?? "" }

    /// Opens a new tab and switches to it.
    func openTab() async throws {
        let opened = try await session.post("/window/new", ["type": "tab"])
        try await go(to: opened["handle"].text ?? "")
    }

    func go(to tab: String) async throws { try await session.post("/window", ["handle": .string(tab)]) }
}
