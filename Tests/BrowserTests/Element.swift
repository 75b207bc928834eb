import Domain
import Foundation

/// An element of a page.
struct Element: Sendable {
    private static let key = "element-6066-11e4-a52e-4f735466cecf"

    private let session: WebDriver
    private let id: String

    /// Returns nil if the value is not a reference to an element.
    init?(_ reference: JSONValue, in session: WebDriver) {
        guard let id = reference[Self.key].text else { return nil }
        self.session = session
        self.id = id
    }

    /// The element as an argument of a script.
    var reference: JSONValue { [Self.key: .string(id)] }

    /// The rendered text.
    func text() async throws -> String { try await get("text").text ?? "" }

    func attribute(_ name: String) async throws -> String? {
        try await script("return arguments[0].getAttribute(arguments[1])", .string(name)).text
    }

    func property(_ name: String) async throws -> JSONValue { try await get("property/\(name)") }

    /// The current value of a form field.
    func value() async throws -> String { try await property("value").text ?? "" }

    func isShown() async throws -> Bool { try await get("displayed") == true }

    func isEnabled() async throws -> Bool { try await get("enabled") == true }

    func isSelected() async throws -> Bool { try await get("selected") == true }

    /// The accessible name, which screen readers announce.
    func accessibleName() async throws -> String { try await get("computedlabel").text ?? "" }

    func role() async throws -> String { try await get("computedrole").text ?? "" }

    func click() async throws { try await post("click") }

    func clear() async throws { try await post("clear") }

    /// Moves the keyboard focus to the element.
    func focus() async throws { try await script("arguments[0].focus()") }

    /// Appends text to the field's value.
    func type(_ text: String) async throws { try await post("value", ["text": .string(text)]) }

    /// Chooses files in an `<input type=file>`.
    func upload(_ files: URL...) async throws { try await upload(files) }

    func upload(_ files: [URL]) async throws {
        try await type(files.map(\.path).joined(separator: "\n"))
    }

    /// Sets the value by script. Dates and times need this, because the way to type them depends on the browser's
    /// language.
    func set(_ value: String) async throws {
        try await script(
            """
            arguments[0].value = arguments[1]
            for (const name of ["input", "change"]) arguments[0].dispatchEvent(new Event(name, {bubbles: true}))
            """,
            .string(value)
        )
    }

    /// Chooses an option of a `<select>` by its value.
    func select(_ value: String) async throws {
        for option in try await findAll("option") where try await option.value() == value {
            return try await option.click()
        }
        throw WebDriver.Refusal(code: "no such element", message: "option \(value)")
    }

    /// Submits the form that the element is or belongs to.
    func submit() async throws {
        try await script("(arguments[0].form ?? arguments[0].closest('form')).requestSubmit()")
    }

    /// The matching descendants of the element.
    func findAll(_ css: String) async throws -> [Element] {
        try await session.post("/element/\(id)/elements", .css(css)).items.compactMap { Element($0, in: session) }
    }

    @discardableResult
    private func get(_ what: String) async throws -> JSONValue { try await session.get("/element/\(id)/\(what)") }

    private func post(_ what: String, _ body: JSONValue = [:]) async throws {
        try await session.post("/element/\(id)/\(what)", body)
    }

    @discardableResult
    private func script(_ body: String, _ argument: JSONValue = .null) async throws -> JSONValue {
        try await session.post("/execute/sync", ["script": .string(body), "args": [reference, argument]])
    }
}

extension JSONValue {
    /// A CSS selector in the form that WebDriver expects.
    fileprivate static func css(_ selector: String) -> JSONValue {
        ["using": "css selector", "value": .string(selector)]
    }
}

extension Browser {
    /// Waits for an element that matches, and returns the first one.
    @discardableResult
    func find(_ css: String) async throws -> Element {
        try await eventually(css) { Element(try await session.post("/element", .css(css)), in: session) }
    }

    /// All elements that match now.
    func findAll(_ css: String) async throws -> [Element] {
        try await session.post("/elements", .css(css)).items.compactMap { Element($0, in: session) }
    }

    /// The element that has the keyboard focus.
    func focused() async throws -> Element? { Element(try await session.get("/element/active"), in: session) }

    func text(_ css: String) async throws -> String { try await once(css) { try await $0.text() } }

    /// Clicks an element as soon as it can be clicked.
    ///
    /// The element is first scrolled to the middle of the window: WebDriver scrolls it to the edge only, where a fixed
    /// bar may cover it.
    func click(_ css: String) async throws {
        try await once(css) {
            try await script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", $0.reference)
            try await $0.click()
        }
    }

    /// Replaces the text of a field as soon as the field can be edited.
    func type(_ text: String, into css: String) async throws {
        try await once(css) { try await $0.clear() }
        try await find(css).type(text)
    }

    private func once<Value>(_ css: String, _ use: (Element) async throws -> Value) async throws -> Value {
        try await eventually(css) {
            guard let element = Element(try await session.post("/element", .css(css)), in: session) else { return nil }
            return try await use(element)
        }
    }
}
