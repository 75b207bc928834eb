/// An error in a CSV file, with the line number counted from 1.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let message: String
    /// Whether the rows behind it cannot be read.
    package let endsFile: Bool

    package init(line: Int, message: String, endsFile: Bool = false) {
        (self.line, self.message, self.endsFile) = (line, message, endsFile)
    }

    package var description: String { "line \(line): \(message)" }
}
