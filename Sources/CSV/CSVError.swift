/// An error in a CSV file, with the line number counted from 1.
package struct CSVError: Error, Equatable, CustomStringConvertible {
    package let line: Int
    package let message: String

    package init(line: Int, message: String) {
        self.line = line
        self.message = message
    }

    package var description: String { "line \(line): \(message)" }
}
