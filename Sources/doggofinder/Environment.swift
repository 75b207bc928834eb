import ArgumentParser
import Foundation

/// Settings from the environment: `DOGGOFINDER_PORT` for `--port`.
enum Environment {
    static func text(_ option: String) -> String? {
        let name = "DOGGOFINDER_" + option.uppercased().replacing("-", with: "_")
        guard let value = ProcessInfo.processInfo.environment[name], !value.isEmpty else { return nil }
        return value
    }

    static func number(_ option: String) throws -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text) else {
            throw ValidationError("DOGGOFINDER_\(option.uppercased()): expected a number, got '\(text)'")
        }
        return number
    }
}
