package import Foundation

/// Reads a sheet of a spreadsheet (.xlsx or .ods) row by row, with the memory and work of `SpreadsheetLimits`.
///
/// The sheet is the first visible one that has at least two rows with texts, otherwise the first visible one. Cells are
/// texts:
/// - numbers are written with all digits, "380260000123456" or "4.5";
/// - booleans are "true" and "false", errors "";
/// - dates and times are by ISO 8601 without a zone, as the format of the cell shows them: "2026-10-11",
///   "2026-10-11T18:30", "18:30"; a date at midnight is a day, because most programs write a day like that;
/// - formulas have the value that the program saved.
///
/// A merged cell has its text in the first place only.
///
/// This is our own reader because CoreXLSX 0.14 holds the whole sheet in memory and reads no .ods files.
package struct SpreadsheetReader {
    /// A row with its number as programs show it, from 1, and its cells up to the last one with a text.
    package typealias Row = (number: Int, cells: [String])

    /// The name of the sheet that is read.
    package let sheet: String
    private let rows: RowStream

    /// Opens a regular file, and chooses the sheet.
    package init(_ file: URL) throws(SpreadsheetError) {
        let zip = try ZipFile(file)
        if let refusal = Self.refusal(of: zip) { throw refusal }
        (sheet, rows) =
            zip.contains(ContentTypes.part) ? try Workbook(zip).chosenSheet() : try OpenDocument(zip).chosenSheet()
    }

    /// Returns the next row that has more than spaces; nil at the end. After an error, the rest cannot be read.
    package mutating func next() throws(SpreadsheetError) -> Row? {
        try rows.next()
    }

    /// Whether a file begins like a ZIP file. Whether it is a spreadsheet is known after it was opened.
    package static func isSpreadsheet(_ start: some Collection<UInt8>) -> Bool {
        start.starts(with: [0x50, 0x4B, 0x03, 0x04])
    }

    /// Whether a ZIP file has the parts of a spreadsheet.
    static func isSpreadsheet(_ file: ZipFile) -> Bool {
        file.contains(ContentTypes.part) || file.contains(OpenDocument.part)
    }

    /// Why a file that begins like this is refused; nil if it may be a spreadsheet. Old Excel files and those with a
    /// password begin like no ZIP file.
    ///
    /// - Parameter start: eight bytes or more, if the file has them.
    package static func refusal(of start: some Collection<UInt8>) -> SpreadsheetError? {
        if start.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) { return .isOldOrHasPassword }
        return isSpreadsheet(start) ? nil : .isOther
    }

    private static func refusal(of file: ZipFile) -> SpreadsheetError? {
        if file.contains("Index/Document.iwa") || file.contains("Index.zip") {
            return SpreadsheetError(message: "is a file of Apple Numbers: export it as .xlsx")
        }
        if file.contains("encrypted-package") { return .hasPassword }
        return isSpreadsheet(file) ? nil : .isOther
    }
}
