package import Domain
package import Foundation
import Spreadsheets

/// Spreadsheets of listings: .xlsx and .ods.
package enum Spreadsheet {
    /// Whether a file begins like a spreadsheet, also one that cannot be read: of an old kind, or with a password.
    package static func begins(_ start: Data) -> Bool {
        // Empty files and texts are CSV.
        SpreadsheetReader.isSpreadsheet(start) || start.starts(with: [0xD0, 0xCF, 0x11, 0xE0])
    }

    /// Opens a file that begins like a spreadsheet. It takes milliseconds.
    ///
    /// - Throws: `invalid` for the field `file`, with words on what to do with a spreadsheet of another kind.
    package static func check(_ file: URL) throws(ServiceError) {
        do { _ = try reader(file) } catch { throw .invalid("file", error.message) }
    }

    /// Returns a function that returns the next row of a spreadsheet, or nil at its end.
    static func rows(of file: URL) throws(ServiceError) -> () throws -> Table.Record? {
        var reader: SpreadsheetReader
        do { reader = try Self.reader(file) } catch { throw .invalid("file", error.message) }
        return { () throws(ServiceError) -> Table.Record? in
            do throws(SpreadsheetError) {
                return try reader.next().map { ($0.number, $0.cells) }
            } catch { throw .invalid("file", error.message) }
        }
    }

    private static func reader(_ file: URL) throws(SpreadsheetError) -> SpreadsheetReader {
        let start = (try? FileHandle(forReadingFrom: file).read(upToCount: 8)) ?? Data()
        if let refusal = SpreadsheetReader.refusal(of: start) { throw refusal }
        return try SpreadsheetReader(file)
    }
}
