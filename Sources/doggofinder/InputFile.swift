import ArgumentParser
import Domain
import Foundation

/// Returns the URL of a file that a command was given, after a look whether it can be read. Foundation's own errors
/// name domains and codes, not reasons.
func inputFile(_ path: String) throws(ServiceError) -> URL {
    func refusal(_ reason: String) -> ServiceError { ServiceError(.invalid, "cannot read \(path): \(reason)") }
    var entry = stat()
    guard stat(path, &entry) == 0 else {
        throw refusal(errno == ENOENT ? "no such file" : String(cString: strerror(errno)))
    }
    guard entry.st_mode & S_IFMT != S_IFDIR else { throw refusal("it is a folder, expected a file") }
    guard access(path, R_OK) == 0 else { throw refusal(String(cString: strerror(errno))) }
    return URL(filePath: path)
}

/// Returns an error with a path and a reason in place of one of Foundation's, which print domains and codes.
func readable(_ error: any Error) -> any Error {
    guard let error = error as? CocoaError else { return error }
    let path = error.filePath ?? error.url?.path
    let text = [path, error.reason].compactMap(\.self).joined(separator: ": ")
    return ServiceError(.invalid, ErrorMessage(verbatim: text))
}

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
