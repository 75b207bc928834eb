import ArgumentParser
import Formats
import Foundation
import SystemPackage

/// A line that tells how far a long command is, on a terminal; nothing in a pipe.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
        if isShown { writeError("\r\u{1B}[K\(text)") }
    }

    func end() {
        if isShown { writeError("\r\u{1B}[K") }
    }
}

func printError(_ text: String) { writeError(text + "\n") }

/// Where even that cannot be told, there is nobody to tell.
private func writeError(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

/// Writes to standard output, or ends the program: what nobody gets is not worth going on for, nor is it a success.
func writeOutput(_ bytes: some Sequence<UInt8>) {
    do {
        _ = try FileDescriptor.standardOutput.writeAll(bytes)
    } catch Errno.brokenPipe {
        // As the signal would end it: whoever reads, like `head`, has enough.
        exit(128 + SIGPIPE)
    } catch {
        printError("Error: standard output: \(error)")
        exit(EXIT_FAILURE)
    }
}

/// In the place of Swift's own, which does not tell that nothing was written.
func print(_ text: String, terminator: String = "\n") { writeOutput((text + terminator).utf8) }

/// Prints one JSON value on a line of its own.
func printJSON(_ write: (inout JSONWriter) throws -> Void) rethrows {
    var json = JSONWriter()
    try write(&json)
    print(json.text)
}

/// Columns as wide as their widest cell.
func printTable(_ rows: [[String]]) {
    guard let columns = rows.first?.count else { return }
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
    if !lines.isEmpty { print(lines.joined(separator: "\n")) }
}

/// How many a list shows, the same for all that have one.
struct LimitOption: ParsableArguments {
    @Option(help: "At most so many. (default: 50; 100 accounts, 10 places)")
    var limit: Int?

    func validate() throws {
        guard limit.map((1...100_000).contains) ?? true else {
            throw ValidationError("limit: expected a number between 1 and 100000")
        }
    }
}
