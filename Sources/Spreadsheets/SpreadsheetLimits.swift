/// The bounds of memory and work for one file.
package enum SpreadsheetLimits {
    /// The entries of a ZIP file. A workbook has one for each sheet and picture, and about ten others.
    package static let maxEntries = 2_000
    /// The unpacked bytes of a sheet or of the shared texts.
    package static let maxEntryBytes = 256 << 20
    /// The unpacked bytes of another part, like the styles.
    package static let maxPartBytes = 32 << 20
    /// The unpacked bytes that are read of all entries together. The sheet of an .ods file is read twice.
    package static let maxTotalBytes = 512 << 20
    /// The elements of XML that are read of all entries together. A cell has two or three.
    package static let maxElements = 10_000_000
    /// The texts that several cells of a workbook share, with 4 bytes more for each.
    package static let maxSharedTextBytes = 64 << 20
    /// The texts of all cells that are returned, also where cells share or repeat them.
    package static let maxTextBytes = 512 << 20
    /// The texts of the cells of a row.
    package static let maxRowBytes = 1 << 20
    /// The columns up to the last cell with a text.
    package static let maxColumns = 500
    /// The rows that Excel and LibreOffice have.
    package static let maxRows = 1_048_576
    /// The characters of a cell, counted in UTF-16 as by Excel, whose limit it is.
    package static let maxCellCharacters = 32_767
    /// The levels of elements in XML.
    package static let maxDepth = 100
    /// The sheets among which one with two rows is looked for, because each look reads the list of the entries again.
    package static let maxSheets = 50
    /// The sheets that a file may have, hidden ones included.
    package static let maxListedSheets = 1_000
    /// The formats of numbers of a workbook. Excel has at most 65,490 formats of cells.
    package static let maxFormats = 100_000
}
