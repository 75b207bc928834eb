import ArgumentParser
import Foundation

/// Reads a secret from the first line of a file. Secrets are not options, because every process on the machine sees the
/// arguments of others.
///
/// - Parameters:
///   - path: the file.
///   - option: the name of the option that names the file.
///   - kind: what the file should contain, for the error.
func secret(in path: String, option: String, _ kind: String) throws -> String {
    let file = try inputFile(path)
    let text = try? String(contentsOf: file, encoding: .utf8)
    guard let line = text?.firstLine else { throw ValidationError("\(option): expected \(kind) in \(path)") }
    return line
}

extension String {
    /// The first line that is not empty.
    var firstLine: String? { split(whereSeparator: \.isNewline).first.map(String.init) }
}
