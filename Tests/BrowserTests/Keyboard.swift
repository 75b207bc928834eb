import Domain

extension Browser {
    /// Keys that do not type a character.
    enum Key: String {
        case enter = "\u{E007}"
        case escape = "\u{E00C}"
        case tab = "\u{E004}"
        case space = " "
        case up = "\u{E013}"
        case down = "\u{E015}"
        case left = "\u{E012}"
        case right = "\u{E014}"
    }

    /// Presses and releases a key on the focused element.
    func press(_ key: Key, shift: Bool = false) async throws {
        let keys = (shift ? ["\u{E008}"] : []) + [key.rawValue]
        try await strike(keys.map { ("keyDown", $0) } + keys.reversed().map { ("keyUp", $0) })
    }

    /// Types characters into the focused element.
    func press(_ letters: String) async throws {
        try await strike(letters.map(String.init).flatMap { [("keyDown", $0), ("keyUp", $0)] })
    }

    private func strike(_ strokes: [(String, String)]) async throws {
        let actions = strokes.map { JSONValue.object(["type": .string($0.0), "value": .string($0.1)]) }
        try await session.post("/actions", ["actions": [["type": "key", "id": "keys", "actions": .array(actions)]]])
    }
}
