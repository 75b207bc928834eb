import XML

/// An OpenDocument spreadsheet (.ods).
///
/// Source: Open Document Format for Office Applications, version 1.3, parts 2 and 3.
struct OpenDocument {
    static let part = "content.xml"
    private static let types = [
        "application/vnd.oasis.opendocument.spreadsheet", "application/vnd.oasis.opendocument.spreadsheet-template",
    ]

    private let file: ZipFile

    init(_ file: ZipFile) throws(SpreadsheetError) {
        self.file = file
        // Files without it are read if their contents are a spreadsheet.
        if file.contains("mimetype"), try !Self.types.contains(Self.mediaType(file)) { throw .isOther }
        guard file.contains("META-INF/manifest.xml") else { return }
        try file.readElements(of: "META-INF/manifest.xml") { name, _, _ in
            if name == "encryption-data" { throw SpreadsheetError.hasPassword }
        }
    }

    /// Returns the first visible sheet with two rows, otherwise the first visible one.
    func chosenSheet() throws(SpreadsheetError) -> (name: String, rows: RowStream) {
        let sheets = TableHandler(.choosing)
        // The sheets are in one part. This ends where the choice is made.
        let part = try XMLPart(content(), sheets)
        while try part.readPiece(), !sheets.isDone {}
        guard sheets.isSheet else { throw .isOther }
        guard let (number, name) = sheets.choice else {
            throw SpreadsheetError(message: "expected a visible sheet with cells")
        }
        return (name, try RowStream(content(), TableHandler(.reading(number)), CellTexts()))
    }

    private func content() throws(SpreadsheetError) -> ZipPart {
        try file.part(Self.part, limit: SpreadsheetLimits.maxEntryBytes)
    }

    private static func mediaType(_ file: ZipFile) throws(SpreadsheetError) -> String {
        let size = 256
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        let count = try file.part("mimetype", limit: size).fill(buffer)
        return String(String(decoding: buffer.prefix(count), as: UTF8.self).trimmed)
    }
}
