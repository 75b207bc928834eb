/// The cells of a row as they are in the file.
struct SheetRow {
    struct Cell {
        enum Content {
            /// A text, with the escapes of Office Open XML if `isEscaped`.
            case text(isEscaped: Bool)
            /// The number of a shared text.
            case shared
            /// With the number of the cell's format.
            case number(format: Int)
            case boolean
            /// A date or time by ISO 8601.
            case date
        }

        /// Counted from 0.
        let column: Int
        let content: Content
        /// Where the cell's text is in that of the row.
        let range: Range<Int>
    }

    /// Counted from 1.
    var number: Int
    /// How often the row is there.
    var count = 1
    private(set) var cells: [Cell] = []
    private(set) var text: [UInt8] = []
    /// With texts that several cells have counted for each.
    private var size = 0
    private var isInOrder = true

    init(_ number: Int) {
        self.number = number
    }

    /// Adds a part of the text of the cell that is not yet complete.
    mutating func append(_ bytes: some Collection<UInt8>, to column: Int, from start: Int) throws(SpreadsheetError) {
        text.append(contentsOf: bytes)
        // A character of UTF-16 takes at most 3 bytes in UTF-8.
        guard text.count - start <= 3 * SpreadsheetLimits.maxCellCharacters else { throw .longText(column, number) }
        guard text.count <= SpreadsheetLimits.maxRowBytes else { throw .longRow(number) }
    }

    /// Adds the cell whose text begins at an offset of the row's text.
    ///
    /// - Parameter repeats: the number of columns with this cell.
    mutating func add(
        _ content: Cell.Content,
        from start: Int,
        to column: Int,
        repeats: Int = 1
    ) throws(SpreadsheetError) {
        let limit = SpreadsheetLimits.maxColumns
        guard repeats <= limit, column + repeats <= limit, cells.count + repeats <= limit else {
            throw .cell(column, number, "expected at most \(limit) columns with texts")
        }
        size += (text.count - start) * repeats
        guard size <= SpreadsheetLimits.maxRowBytes else { throw .longRow(number) }
        if let last = cells.last, last.column >= column { isInOrder = false }
        for column in column..<column + repeats {
            cells.append(Cell(column: column, content: content, range: start..<text.count))
        }
    }

    /// Puts the cells in the order of columns.
    mutating func sort() throws(SpreadsheetError) {
        guard !isInOrder else { return }
        cells.sort { $0.column < $1.column }
        for (cell, next) in zip(cells, cells.dropFirst()) where cell.column == next.column {
            throw .cell(cell.column, number, "expected it once")
        }
        isInOrder = true
    }

    /// Removes the text of a cell that is not added.
    mutating func dropText(from start: Int) {
        text.removeSubrange(start...)
    }
}

extension SpreadsheetError {
    static func longText(_ column: Int, _ row: Int) -> SpreadsheetError {
        .cell(column, row, "expected at most \(SpreadsheetLimits.maxCellCharacters) characters")
    }

    static func longRow(_ row: Int) -> SpreadsheetError {
        .row(row, "expected at most \(SpreadsheetLimits.maxRowBytes >> 10) KiB of texts")
    }
}
