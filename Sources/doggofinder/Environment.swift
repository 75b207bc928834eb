import ArgumentParser
import Foundation

/// Settings from environment variables; for example, `DOGGOFINDER_PORT` corresponds to `--port`.
enum Environment {
    static func text(_ option: String) -> String? {
        guard let value = ProcessInfo.processInfo.environment[name(of: option)], !value.isEmpty else { return nil }
        return value
    }

    static func number(_ option: String) throws -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text) else {
            throw ValidationError("\(name(of: option)): expected a number, got '\(text)'")
        }
        return number
    }

    private static func name(of option: String) -> String {
        "DOGGOFINDER_" + option.uppercased().replacing("-", with: "_")
    }
}
