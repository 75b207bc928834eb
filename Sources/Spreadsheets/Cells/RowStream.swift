import XML

/// Turns the parts of a sheet into rows.
protocol RowHandler: XMLHandler {
    /// The rows that have been read and not yet taken.
    var rows: [SheetRow] { get set }
    /// Whether the sheet has ended.
    var isDone: Bool { get }
    /// Whether the part has been found to be a sheet.
    var isSheet: Bool { get }
}

/// The rows of a sheet that have a text, read while they are asked for.
final class RowStream {
    private let part: XMLPart
    private let handler: any RowHandler
    private let texts: CellTexts
    private var hasMore = true
    private var rows: ArraySlice<SheetRow> = []
    /// A row that is there several times.
    private var repeated: (number: Int, cells: [String], count: Int)?
    /// Rows that were read to choose the sheet.
    private var begun: [SpreadsheetReader.Row] = []
    /// The bytes of texts that may still be returned.
    private var remaining = SpreadsheetLimits.maxTextBytes

    init(_ part: ZipPart, _ handler: any RowHandler, _ texts: CellTexts) throws(SpreadsheetError) {
        self.part = try XMLPart(part, handler)
        self.handler = handler
        self.texts = texts
    }

    /// Whether the sheet has at least two rows. `next` returns them nevertheless.
    func hasTwoRows() throws(SpreadsheetError) -> Bool {
        while begun.count < 2, let row = try read() { begun.append(row) }
        return begun.count == 2
    }

    func next() throws(SpreadsheetError) -> SpreadsheetReader.Row? {
        begun.isEmpty ? try read() : begun.removeFirst()
    }

    private func read() throws(SpreadsheetError) -> SpreadsheetReader.Row? {
        while repeated == nil {
            guard let row = try nextRow() else { return nil }
            repeated = try texts.texts(row).map { (row.number, $0, row.count) }
        }
        guard let (number, cells, count) = repeated else { return nil }
        repeated = count > 1 ? (number + 1, cells, count - 1) : nil
        remaining -= cells.reduce(0) { $0 + $1.utf8.count }
        guard remaining >= 0 else {
            throw .row(number, "expected at most \(SpreadsheetLimits.maxTextBytes >> 20) MiB of texts in the sheet")
        }
        return (number, cells)
    }

    private func nextRow() throws(SpreadsheetError) -> SheetRow? {
        while rows.isEmpty {
            guard hasMore else { return nil }
            hasMore = try part.readPiece() && !handler.isDone
            rows = handler.rows[...]
            handler.rows = []
            if !hasMore { try finish() }
        }
        return rows.removeFirst()
    }

    private func finish() throws(SpreadsheetError) {
        guard handler.isSheet else { throw .damaged(part.part.name, "expected a sheet") }
        try part.part.drain()
    }
}
