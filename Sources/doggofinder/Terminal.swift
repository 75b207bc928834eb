import ArgumentParser
import Formats
import Foundation
import SystemPackage

func printError(_ text: String) { writeError(text + "\n") }

/// Returns for example `1 row` or `2 rows`.
func counted(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

/// Errors are ignored, because there is no other way to report them.
func writeError(_ text: String) { _ = try? FileDescriptor.standardError.writeAll(text.utf8) }

/// Writes to standard output. If that fails, ends the program with a failure status.
func writeOutput(_ bytes: some Sequence<UInt8>) {
    do {
        _ = try FileDescriptor.standardOutput.writeAll(bytes)
    } catch Errno.brokenPipe {
        // Exits with the status of `SIGPIPE`: the reader, for example `head`, has closed the pipe.
        exit(128 + SIGPIPE)
    } catch {
        printError("Error: standard output: \(error)")
        exit(EXIT_FAILURE)
    }
}

/// Replaces Swift's `print`, which does not report write errors.
func print(_ text: String, terminator: String = "\n") { writeOutput((text + terminator).utf8) }

/// Prints one JSON value on a line.
func printJSON(_ write: (inout JSONWriter) throws -> Void) rethrows {
    var json = JSONWriter()
    try write(&json)
    print(json.text)
}

/// Prints one JSON object on a line.
func printJSONObject(_ write: (inout JSONWriter) throws -> Void) rethrows { try printJSON { try $0.object(write) } }

/// Prints a table whose columns are as wide as their widest cells.
func printTable(_ rows: [[String]]) {
    guard let columns = rows.first?.count else { return }
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let lines = rows.map { row in
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        return String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed())
    }
    if !lines.isEmpty { print(lines.joined(separator: "\n")) }
}

/// The option `--yes`, for commands that delete what cannot be restored.
struct ConfirmationOption: ParsableArguments {
    @Flag(help: "Do not ask, as on a terminal.") var yes = false

    /// Asks on a terminal. Scripts are not asked.
    func ask(_ question: String) throws {
        guard !yes, isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 else { return }
        writeError("\(question) Type yes: ")
        guard readLine() == "yes" else {
            printError("nothing was deleted")
            throw ExitCode(1)
        }
    }
}

/// The option for the maximum length of lists, which all listing commands share.
struct LimitOption: ParsableArguments {
    @Option(help: "At most so many. (default: 50; 100 accounts, 10 places)")
    var limit: Int?

    func validate() throws {
        guard limit.map((1...100_000).contains) ?? true else {
            throw ValidationError("limit: expected a number between 1 and 100000")
        }
    }
}
