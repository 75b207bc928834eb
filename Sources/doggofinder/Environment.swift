import ArgumentParser
import Foundation

/// Settings that are not on the command line: those of environment variables (`DOGGOFINDER_PORT` corresponds to
/// `--port`), and those of the configuration file that no variable of the environment sets.
enum Environment {
    static let prefix = "DOGGOFINDER_"

    /// An empty value counts as not set.
    static func text(_ option: String) -> String? {
        variable(option) ?? nonEmpty(ConfigurationFile.current?.values[variableName(of: option)])
    }

    static func number(_ option: String) throws -> Int? {
        guard let text = text(option) else { return nil }
        guard let number = Int(text) else {
            throw ValidationError("\(variableName(of: option)): expected a number, got '\(text)'")
        }
        return number
    }

    /// The value of a variable, whatever the configuration file says.
    static func variable(_ option: String) -> String? {
        nonEmpty(ProcessInfo.processInfo.environment[variableName(of: option)])
    }

    static func variableName(of option: some StringProtocol) -> String {
        prefix + option.uppercased().replacing("-", with: "_")
    }

    private static func nonEmpty(_ text: String?) -> String? { text?.isEmpty == false ? text : nil }
}
