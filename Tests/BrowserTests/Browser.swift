import Domain
import Foundation
import ServerSupport
import Synchronization

/// One browser with a profile of its own.
final class Browser: Sendable {
    let session: WebDriver
    /// Service workers that share the network of the page, by Chrome's sessions with them.
    let workers = Mutex<[String]>([])

    private init(session: WebDriver) {
        self.session = session
    }

    /// Starts a browser, hands it over, and closes it whatever happens.
    static func with<Value>(
        _ visitor: Visitor = .desktop,
        _ body: (Browser) async throws -> Value
    ) async throws -> Value {
        guard let driver = Chromedriver.current else { throw TestFailure("this test is not in `InBrowser`") }
        let answer = try await driver.post("/session", ["capabilities": ["alwaysMatch": visitor.capabilities]])
        guard let id = answer["sessionId"].text else { throw TestFailure("no browser") }
        let browser = Browser(session: WebDriver(port: driver.port, base: "/session/\(id)"))
        do {
            try await browser.become(visitor)
            let value = try await body(browser)
            try await browser.session.delete("")
            return value
        } catch {
            _ = try? await browser.session.delete("")
            throw error
        }
    }

    private func become(_ visitor: Visitor) async throws {
        try await resize(to: visitor.screen)
        try await prefer(visitor.scheme)
        try await session.devTools("Emulation.setLocaleOverride", ["locale": .string(visitor.language)])
        try await session.devTools("Emulation.setTimezoneOverride", ["timezoneId": .string(visitor.timeZone)])
        try await move(to: visitor.whereabouts)
    }

    /// Returns when the page is loaded.
    func open(_ url: String) async throws { try await session.post("/url", ["url": .string(url)]) }

    func reload() async throws { try await session.post("/refresh") }

    func back() async throws { try await session.post("/back") }

    func url() async throws -> String { try await session.get("/url").text ?? "" }

    func title() async throws -> String { try await session.get("/title").text ?? "" }

    /// What a function of this body returns, given `arguments`; a promise is waited for.
    @discardableResult
    func script(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await session.post("/execute/sync", ["script": .string(body), "args": .array(arguments)])
    }
}
