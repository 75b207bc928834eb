import Formats
import Foundation

/// A line that tells how far a long command is, on a terminal; nothing in a pipe.
struct ProgressLine {
    private let isShown = isatty(STDERR_FILENO) == 1

    func show(_ text: String) {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K\(text)".utf8)) }
    }

    func end() {
        if isShown { FileHandle.standardError.write(Data("\r\u{1B}[K".utf8)) }
    }
}

func printError(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}

/// Prints one JSON value on a line of its own.
func printJSON(_ write: (inout JSONWriter) throws -> Void) rethrows {
    var json = JSONWriter()
    try write(&json)
    FileHandle.standardOutput.write(Data((json.text + "\n").utf8))
}

/// Columns as wide as their widest cell.
func printTable(_ rows: [[String]]) {
    guard let columns = rows.first?.count else { return }
    let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        print(String(cells.joined(separator: "  ").reversed().drop { $0 == " " }.reversed()))
    }
}
