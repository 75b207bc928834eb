import Domain

extension Browser {
    /// What a page costs.
    struct Figures: Sendable {
        /// The page itself and what it loaded, whether from the network or not.
        let requests: Int
        /// What came through the network, headers included, as far as the page may know.
        let bytes: Int
        /// Milliseconds until something was seen.
        let firstContentfulPaint: Double
        /// Milliseconds until the page and what it names were there.
        let load: Double
    }

    /// Of the page that is open, once it was painted.
    ///
    /// - Parameter part: what has this in its address does not count.
    func figures(besides part: String? = nil) async throws -> Figures {
        let told = try await eventually("the first paint") {
            let told = try await script(
                """
                const entries = type => performance.getEntriesByType(type)
                const page = entries("navigation")[0]
                const loaded = [page, ...entries("resource")].filter(({name}) => !name.includes(arguments[0] ?? "\\n"))
                const paint = entries("paint").find(entry => entry.name == "first-contentful-paint")
                if (!paint || !page.loadEventEnd) return null
                const bytes = loaded.reduce((sum, entry) => sum + entry.transferSize, 0)
                return {requests: loaded.length, bytes, paint: paint.startTime, load: page.loadEventEnd}
                """,
                part.map(JSONValue.string) ?? .null
            )
            return told == .null ? nil : told
        }
        return Figures(
            requests: Int(told["requests"].number ?? 0),
            bytes: Int(told["bytes"].number ?? 0),
            firstContentfulPaint: told["paint"].number ?? 0,
            load: told["load"].number ?? 0
        )
    }
}
