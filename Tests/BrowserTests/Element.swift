import Domain
import Foundation

/// A part of a page.
struct Element: Sendable {
    private static let key = "element-6066-11e4-a52e-4f735466cecf"

    private let session: WebDriver
    private let id: String

    /// Nil where that is no reference to an element.
    init?(_ reference: JSONValue, in session: WebDriver) {
        guard let id = reference[Self.key].text else { return nil }
        self.session = session
        self.id = id
    }

    /// As an argument to a script.
    var reference: JSONValue { [Self.key: .string(id)] }

    /// As it is shown.
    func text() async throws -> String { try await get("text").text ?? "" }

    func attribute(_ name: String) async throws -> String? {
        try await script("return arguments[0].getAttribute(arguments[1])", .string(name)).text
    }

    func property(_ name: String) async throws -> JSONValue { try await get("property/\(name)") }

    /// What a field holds.
    func value() async throws -> String { try await property("value").text ?? "" }

    func isShown() async throws -> Bool { try await get("displayed") == true }

    func isEnabled() async throws -> Bool { try await get("enabled") == true }

    func isSelected() async throws -> Bool { try await get("selected") == true }

    /// What a screen reader calls it.
    func accessibleName() async throws -> String { try await get("computedlabel").text ?? "" }

    func role() async throws -> String { try await get("computedrole").text ?? "" }

    func click() async throws { try await post("click") }

    func clear() async throws { try await post("clear") }

    /// Gives it the keyboard.
    func focus() async throws { try await script("arguments[0].focus()") }

    /// Types after what is there.
    func type(_ text: String) async throws { try await post("value", ["text": .string(text)]) }

    /// Chooses files in an `<input type=file>`.
    func upload(_ files: URL...) async throws {
        try await type(files.map(\.path).joined(separator: "\n"))
    }

    /// Puts a value as a script would: for dates and times, which are typed otherwise in every language.
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

    /// Sends the form that it is or belongs to.
    func submit() async throws {
        try await script("(arguments[0].form ?? arguments[0].closest('form')).requestSubmit()")
    }

    /// Those inside it.
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
    /// How WebDriver is told a selector.
    fileprivate static func css(_ selector: String) -> JSONValue {
        ["using": "css selector", "value": .string(selector)]
    }
}

extension Browser {
    /// The first that matches, once there is one.
    @discardableResult
    func find(_ css: String) async throws -> Element {
        try await eventually(css) { Element(try await session.post("/element", .css(css)), in: session) }
    }

    /// All that match now.
    func findAll(_ css: String) async throws -> [Element] {
        try await session.post("/elements", .css(css)).items.compactMap { Element($0, in: session) }
    }

    /// What has the keyboard.
    func focused() async throws -> Element? { Element(try await session.get("/element/active"), in: session) }

    func text(_ css: String) async throws -> String { try await once(css) { try await $0.text() } }

    /// Clicks as soon as it can be.
    ///
    /// The driver itself scrolls no further than to the edge, where a bar may float above.
    func click(_ css: String) async throws {
        try await once(css) {
            try await script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", $0.reference)
            try await $0.click()
        }
    }

    /// Types into a field as soon as it can be, instead of what is there.
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
