import Domain

extension Browser {
    /// The cost of loading a page.
    struct Figures: Sendable {
        /// The number of requests, including the page itself and responses that came from a cache.
        let requests: Int
        /// The bytes that were transferred over the network, including headers, as far as the Performance API reports
        /// them.
        let bytes: Int
        /// Milliseconds until the first text or image was painted.
        let firstContentfulPaint: Double
        /// Milliseconds until the page and the files that it refers to were loaded.
        let load: Double
    }

    /// Measures the current page, after its first paint.
    ///
    /// - Parameter part: resources whose address contains this text are not counted.
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
