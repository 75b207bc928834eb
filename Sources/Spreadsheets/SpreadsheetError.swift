package import Domain
import XML

/// Why a file cannot be read as a spreadsheet, in words for the person who chose it.
package struct SpreadsheetError: Error, Equatable, CustomStringConvertible, Sendable {
    /// It names the cell, the row or the part of the file, if there is one.
    package let message: ErrorMessage

    package var description: String { message.text }

    static let expectation: ErrorMessage = "expected a spreadsheet (.xlsx or .ods)"

    static let hasPassword = SpreadsheetError(message: "expected a file without a password: save it without one")

    static let isOldOrHasPassword = SpreadsheetError(
        message: "is an old Excel file (.xls) or has a password: save it as .xlsx without a password"
    )

    static let isOther = SpreadsheetError(message: expectation)

    /// - Parameter part: the path of the part in the ZIP file.
    static func damaged(_ part: String, _ reason: ErrorMessage) -> SpreadsheetError {
        SpreadsheetError(message: "the part \(part.prefix(100)) is damaged: \(reason)")
    }

    /// - Parameters:
    ///   - column: counted from 0.
    ///   - row: counted from 1.
    static func cell(_ column: Int, _ row: Int, _ expectation: ErrorMessage) -> SpreadsheetError {
        SpreadsheetError(message: "cell \(CellReference(column: column, row: row)): \(expectation)")
    }

    static func row(_ row: Int, _ expectation: ErrorMessage) -> SpreadsheetError {
        SpreadsheetError(message: "row \(row): \(expectation)")
    }
}
