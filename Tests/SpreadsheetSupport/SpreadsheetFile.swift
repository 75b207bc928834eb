/// The parts of a spreadsheet, made by hand.
package struct SpreadsheetFile {
    package typealias Part = (name: String, content: [UInt8])

    package var parts: [Part]

    package init(_ parts: [(String, String)]) {
        self.parts = parts.map { ($0.0, Array($0.1.utf8)) }
    }

    /// Replaces the part with this name, or adds it; removes it if the content is nil.
    package mutating func set(_ name: String, _ content: String?) {
        let bytes = content.map { Array($0.utf8) }
        guard let index = parts.firstIndex(where: { $0.name == name }) else {
            if let bytes { parts.append((name, bytes)) }
            return
        }
        if let bytes { parts[index].content = bytes } else { parts.remove(at: index) }
    }

    package func bytes(isStored: Bool = false) -> [UInt8] {
        var zip = ZipWriter()
        for part in parts { zip.add(part.name, part.content, isStored: isStored) }
        return zip.finish()
    }

    /// A sheet of a workbook.
    package struct Sheet {
        package let name: String
        package let state: String?
        /// The XML in the element `sheetData`.
        package let data: String

        package init(_ data: String, name: String = "Cani", state: String? = nil) {
            (self.data, self.name, self.state) = (data, name, state)
        }
    }

    package static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    package static let main = "xmlns=\"http://schemas.openxmlformats.org/spreadsheetml/2006/main\""
    private static let relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    private static let packageRelations = "http://schemas.openxmlformats.org/package/2006/relationships"

    /// An .xlsx file.
    ///
    /// - Parameters:
    ///   - shared: the XML of the shared texts in the element `sst`; nil for no such part.
    ///   - codes: custom formats of numbers. The format of a cell with the number 1 is the first of them.
    ///   - formats: built-in formats behind the custom ones.
    ///   - properties: the attributes of `workbookPr`.
    package static func workbook(
        _ sheets: [Sheet],
        shared: String? = nil,
        codes: [String] = [],
        formats: [Int] = [],
        properties: String = ""
    ) -> SpreadsheetFile {
        let numbers = Array(1...max(1, sheets.count)).prefix(sheets.count)
        let ids = zip(numbers, sheets).map { number, sheet in
            "<sheet name=\"\(sheet.name)\" sheetId=\"\(number)\" \(sheet.state.map { "state=\"\($0)\" " } ?? "")r:id=\"rId\(number)\"/>"
        }
        var targets = numbers.map { relation("rId\($0)", "worksheet", "worksheets/sheet\($0).xml") }
        targets.append(relation("rIdStyles", "styles", "styles.xml"))
        if shared != nil { targets.append(relation("rIdShared", "sharedStrings", "/xl/sharedStrings.xml")) }
        var file = SpreadsheetFile([
            ("[Content_Types].xml", types),
            ("_rels/.rels", list([relation("rId1", "officeDocument", "xl/workbook.xml")])),
            (
                "xl/workbook.xml",
                "\(head)<workbook \(main) xmlns:r=\"\(relations)\"><workbookPr \(properties)/><sheets>\(ids.joined())</sheets></workbook>"
            ),
            ("xl/_rels/workbook.xml.rels", list(targets)),
            ("xl/styles.xml", styles(codes, formats)),
        ])
        if let shared { file.set("xl/sharedStrings.xml", "\(head)<sst \(main)>\(shared)</sst>") }
        for (number, sheet) in zip(numbers, sheets) {
            file.set(
                "xl/worksheets/sheet\(number).xml",
                "\(head)<worksheet \(main)><dimension ref=\"A1\"/><sheetData>\(sheet.data)</sheetData><pageMargins left=\"1\"/></worksheet>"
            )
        }
        return file
    }

    /// An .ods file.
    ///
    /// - Parameters:
    ///   - body: the XML in the element `office:spreadsheet`.
    ///   - styles: the XML of automatic styles.
    package static func openDocument(_ body: String, styles: String = "") -> SpreadsheetFile {
        let names = ["office", "table", "text", "style"].map {
            "xmlns:\($0)=\"urn:oasis:names:tc:opendocument:xmlns:\($0):1.0\""
        }
        return SpreadsheetFile([
            ("mimetype", "application/vnd.oasis.opendocument.spreadsheet"),
            (
                "META-INF/manifest.xml",
                "\(head)<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\"/>"
            ),
            (
                "content.xml",
                "\(head)<office:document-content \(names.joined(separator: " "))><office:automatic-styles>\(styles)"
                    + "</office:automatic-styles><office:body><office:spreadsheet>\(body)</office:spreadsheet>"
                    + "</office:body></office:document-content>"
            ),
        ])
    }

    private static let types =
        "\(head)<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">"
        + "<Default Extension=\"xml\" ContentType=\"application/xml\"/><Override PartName=\"/xl/workbook.xml\" "
        + "ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/></Types>"

    private static func relation(_ id: String, _ kind: String, _ target: String) -> String {
        "<Relationship Id=\"\(id)\" Type=\"\(relations)/\(kind)\" Target=\"\(target)\"/>"
    }

    private static func list(_ relations: [String]) -> String {
        "\(head)<Relationships xmlns=\"\(packageRelations)\">\(relations.joined())</Relationships>"
    }

    private static func styles(_ codes: [String], _ formats: [Int]) -> String {
        let custom = codes.enumerated().map { index, code in
            let escaped = code.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing(
                "<", with: "&lt;")
            return "<numFmt numFmtId=\"\(200 + index)\" formatCode=\"\(escaped)\"/>"
        }
        let cells = ([0] + codes.indices.map { 200 + $0 } + formats).map { "<xf numFmtId=\"\($0)\"/>" }
        return "\(head)<styleSheet \(main)><numFmts>\(custom.joined())</numFmts><cellStyleXfs><xf numFmtId=\"14\"/>"
            + "</cellStyleXfs><cellXfs>\(cells.joined())</cellXfs></styleSheet>"
    }
}
