import Domain
import Foundation
import ServerSupport
import Synchronization
import TestSupport

/// A browser window with its own profile.
final class Browser: Sendable {
    let session: WebDriver
    /// The identifiers of DevTools sessions with service workers, which keep the emulated network conditions active.
    let workers = Mutex<[String]>([])

    private init(session: WebDriver) {
        self.session = session
    }

    /// Starts a browser, runs the body, and closes the browser even if the body throws.
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

    /// Opens an address and returns when the page has loaded.
    ///
    /// While the service answers that it is busy (503), the page is loaded again, as its text asks.
    func open(_ url: String) async throws {
        try await session.post("/url", ["url": .string(url)])
        try await reloadWhileBusy()
    }

    /// On a busy machine, the answer may be that the service is busy.
    func reloadWhileBusy() async throws {
        try await until("a service that is not busy") {
            guard try await isBusy() else { return true }
            try await Task.sleep(for: .seconds(1))
            try await reload()
            return false
        }
    }

    private func isBusy() async throws -> Bool {
        try await script("return performance.getEntriesByType('navigation')[0]?.responseStatus === 503") == true
    }

    func reload() async throws { try await session.post("/refresh") }

    func back() async throws { try await session.post("/back") }

    func url() async throws -> String { try await session.get("/url").text ?? "" }

    func title() async throws -> String { try await session.get("/title").text ?? "" }

    /// Runs the body of a JavaScript function with `arguments` and returns its result. A promise is awaited.
    @discardableResult
    func script(_ body: String, _ arguments: JSONValue...) async throws -> JSONValue {
        try await session.post("/execute/sync", ["script": .string(body), "args": .array(arguments)])
    }
}
