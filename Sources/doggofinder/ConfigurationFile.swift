import ArgumentParser
import Domain
import Foundation
import Synchronization

/// A file that sets environment variables of the program, one `NAME=value` on a line. Lines that begin with `#` are
/// comments.
struct ConfigurationFile: Sendable {
    static let defaultPath = "/etc/doggofinder/doggofinder.conf"
    private static let maxBytes = 1 << 20
    private static let loaded = Mutex<ConfigurationFile?>(nil)

    /// The values by the names of the variables.
    private(set) var values: [String: String] = [:]

    /// The file that the command line, the environment or the default names.
    static var current: ConfigurationFile? { loaded.withLock(\.self) }

    /// Reads the file whose settings `Environment` returns from now on.
    ///
    /// - Parameter path: a file, `none`, or nil for the default one, which need not exist.
    static func load(_ path: String?) throws {
        guard path != "none", path != nil || access(defaultPath, F_OK) == 0 else { return }
        let file = try ConfigurationFile(path ?? defaultPath)
        loaded.withLock { $0 = file }
    }

    private init(_ path: String) throws {
        let handle: FileHandle
        do { handle = try FileHandle(forReadingFrom: inputFile(path)) } catch let error as ServiceError {
            throw ValidationError("config: \(error.message)")
        }
        let bytes = try handle.read(upToCount: Self.maxBytes + 1) ?? Data()
        guard bytes.count <= Self.maxBytes, let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("config: expected a text in UTF-8 of at most 1 MB in \(path)")
        }
        try read(text, path: path)
    }

    private mutating func read(_ text: String, path: String) throws {
        let known = Self.variables
        var numbers: [String: Int] = [:]
        // A line may end with CR LF, which is one character of Swift.
        for (number, line) in zip(1..., text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)) {
            do throws(Mistake) {
                guard let (name, value) = try Self.assignment(in: line) else { continue }
                try Self.check(name, known)
                if let first = numbers[name] { throw Mistake("\(name) is set on line \(first) already") }
                numbers[name] = number
                values[name] = value
            } catch {
                throw ValidationError("\(path), line \(number): \(error.text)")
            }
        }
    }

    /// A mistake in a line.
    private struct Mistake: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    /// Returns nil for empty lines and comments.
    private static func assignment(in line: Substring) throws(Mistake) -> (name: String, value: String)? {
        let line = line.trimmingCharacters(in: .whitespaces)
        if line.isEmpty || line.hasPrefix("#") { return nil }
        let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            .map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2 else { throw Mistake("expected NAME=value, got '\(line)'") }
        return (parts[0], unquoted(parts[1]))
    }

    /// Double quotes around the whole value do not belong to it.
    private static func unquoted(_ value: String) -> String {
        let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
        return isQuoted ? String(value.dropFirst().dropLast()) : value
    }

    private static func check(_ name: String, _ known: Set<String>) throws(Mistake) {
        if known.contains(name) { return }
        let hint = nearest(to: name, known).map { ", perhaps \($0) is meant" } ?? ""
        throw Mistake("there is no setting '\(name)'\(hint)")
    }

    /// The variables of the options of the server that have a value, except the one that names the file.
    private static var variables: Set<String> {
        let help = Serve.helpMessage(columns: 1000)
        let options = Set(help.matches(of: /(?m)^ +--([a-z0-9-]+) </).map { String($0.1) })
        return Set(options.subtracting(["config"]).map(Environment.variableName))
    }

    /// Returns the known name with the fewest changes of letters, or nil if all are very different. The names of options
    /// are near to those of their variables.
    private static func nearest(to name: String, _ known: Set<String>) -> String? {
        let text = Environment.variableName(of: name.trimmingPrefix("--").replacing("DOGGOFINDER_", with: ""))
        let distances = known.map { (distance: edits(String(text.prefix(100)), $0), name: $0) }
        guard let best = distances.min(by: { ($0.distance, $0.name) < ($1.distance, $1.name) }) else { return nil }
        return best.distance <= max(2, (best.name.count - Environment.prefix.count) / 3) ? best.name : nil
    }

    /// The Levenshtein distance.
    private static func edits(_ first: String, _ second: String) -> Int {
        let second = Array(second)
        var row = Array(0...second.count)
        for (number, letter) in zip(1..., first) {
            var diagonal = row[0]
            row[0] = number
            for index in second.indices {
                let change = diagonal + (letter == second[index] ? 0 : 1)
                diagonal = row[index + 1]
                row[index + 1] = min(change, diagonal + 1, row[index] + 1)
            }
        }
        return row[second.count]
    }
}
