import Domain

extension Browser {
    /// A cookie that belongs to the current page.
    struct Cookie: Sendable {
        let name: String
        let value: String
        let isHTTPOnly: Bool
        let isSecure: Bool
        /// `Strict`, `Lax` or `None`.
        let sameSite: String
    }

    func cookies() async throws -> [Cookie] {
        try await session.get("/cookie").items.map { cookie in
            Cookie(
                name: cookie["name"].text ?? "",
                value: cookie["value"].text ?? "",
                isHTTPOnly: cookie["httpOnly"] == true,
                isSecure: cookie["secure"] == true,
                sameSite: cookie["sameSite"].text ?? ""
            )
        }
    }

    func deleteCookie(_ name: String) async throws { try await session.delete("/cookie/\(name)") }

    func deleteCookies() async throws { try await session.delete("/cookie") }
}
