import XML

/// An Office Open XML workbook (.xlsx).
///
/// Source: ECMA-376, Office Open XML File Formats, parts 1 and 2.
struct Workbook {
    struct Sheet {
        let name: String
        let part: String
    }

    private let file: ZipFile
    /// The visible sheets with cells. Others have a diagram, for example.
    private var sheets: [Sheet] = []
    private var texts = CellTexts()

    init(_ file: ZipFile) throws(SpreadsheetError) {
        self.file = file
        guard file.contains("_rels/.rels"),
            let part = try Relationships(of: "", in: file).part(kind: "officeDocument")
        else { throw .isOther }
        try Self.check(ContentTypes(file)[part])
        let relationships = try Relationships(of: part, in: file)
        try readSheets(part, relationships)
        if let styles = relationships.part(kind: "styles") { texts.formats = try CellFormats.read(styles, file) }
        if let shared = relationships.part(kind: "sharedStrings") {
            texts.shared = try SharedTexts(file.part(shared, limit: SpreadsheetLimits.maxEntryBytes))
        }
    }

    /// Returns the first visible sheet with two rows, otherwise the first visible one.
    func chosenSheet() throws(SpreadsheetError) -> (name: String, rows: RowStream) {
        var first: (String, RowStream)?
        for sheet in sheets.prefix(SpreadsheetLimits.maxSheets) {
            let rows = try rows(of: sheet)
            if try rows.hasTwoRows() { return (sheet.name, rows) }
            first = first ?? (sheet.name, rows)
        }
        guard let first else { throw SpreadsheetError(message: "expected a visible sheet with cells") }
        return first
    }

    private func rows(of sheet: Sheet) throws(SpreadsheetError) -> RowStream {
        let part = try file.part(sheet.part, limit: SpreadsheetLimits.maxEntryBytes)
        return try RowStream(part, WorksheetHandler(), texts)
    }

    private static func check(_ type: String) throws(SpreadsheetError) {
        let type = type.lowercased()
        if type.contains("sheet.binary") {
            throw SpreadsheetError(message: "is a binary Excel file (.xlsb): save it as .xlsx")
        }
        // Also the types of templates and of files with macros, which are not run.
        guard type.contains("spreadsheetml") || type.contains("ms-excel"), type.hasSuffix(".main+xml") else {
            throw .isOther
        }
    }

    private mutating func readSheets(_ part: String, _ relationships: Relationships) throws(SpreadsheetError) {
        var (sheets, count, is1904, section): ([Sheet], Int, Bool, String) = ([], 0, false, "")
        try file.readElements(of: part) { name, attributes, depth in
            if depth == 1, name != "workbook" { throw SpreadsheetError.isOther }
            if depth == 2 { section = name }
            if depth == 2, name == "workbookPr" { is1904 = ["1", "true"].contains(attributes["date1904"]) }
            guard depth == 3, section == "sheets", name == "sheet" else { return }
            count += 1
            guard count <= SpreadsheetLimits.maxListedSheets else {
                throw SpreadsheetError(message: "expected at most \(SpreadsheetLimits.maxListedSheets) sheets")
            }
            guard ["visible", nil].contains(attributes["state"]), let id = attributes[local: "id"] else { return }
            guard let target = relationships.part(id: id, kind: "worksheet") else { return }
            sheets.append(Sheet(name: attributes["name"] ?? "", part: target))
        }
        self.sheets = sheets
        texts.is1904 = is1904
    }
}
