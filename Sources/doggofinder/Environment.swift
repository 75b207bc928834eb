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

    /// Returns the number that the command line gives, or else the settings.
    static func number(
        _ option: String,
        _ given: Int?,
        in range: some RangeExpression<Int>,
        _ expectation: String
    ) throws -> Int? {
        guard let number = try given ?? number(option) else { return nil }
        guard range.contains(number) else { throw ValidationError("\(option): expected \(expectation)") }
        return number
    }

    /// Returns the choice that the command line gives, or else the settings.
    static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String,
        _ given: String?,
        default usual: Choice
    ) throws -> Choice {
        guard let name = given ?? text(option) else { return usual }
        guard let choice = Choice(rawValue: name.lowercased()) else {
            let names = Choice.allCases.map(\.rawValue)
            let expected = names.count > 2 ? "one of \(names.joined(separator: ", "))" : names.joined(separator: " or ")
            throw ValidationError("\(option): expected \(expected), got '\(name)'")
        }
        return choice
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
