import Foundation
import SpreadsheetSupport
import Spreadsheets
import Testing

/// Files that are wrong or that attack the reader. The sizes are such that a reader without bounds would need minutes
/// or gigabytes.
@Suite("Spreadsheets: hostile files")
struct HostileFileTests {
    private typealias Sheet = SpreadsheetFile.Sheet

    private static func workbook(_ data: String, shared: String? = nil) -> SpreadsheetFile {
        .workbook([Sheet(data)], shared: shared)
    }

    private static let good = "<row><c><v>1</v></c></row><row><c><v>2</v></c></row>"

    /// A workbook of which a part is changed.
    private static func changed(_ part: String, _ content: String?) -> SpreadsheetFile {
        var file = workbook(good)
        file.set(part, content)
        return file
    }

    private static let sheetPart = "xl/worksheets/sheet1.xml"

    @Test(
        "Parts of workbooks that are wrong",
        arguments: [
            ("[Content_Types].xml", nil, "expected a spreadsheet"), ("xl/workbook.xml", nil, "missing"),
            ("_rels/.rels", nil, "expected a spreadsheet"), (sheetPart, nil, "missing"),
            ("xl/styles.xml", nil, "missing"),
            ("xl/_rels/workbook.xml.rels", nil, "missing"), ("xl/_rels/workbook.xml.rels", "<a/>", "visible sheet"),
            (sheetPart, "", "no element"), (sheetPart, "<html/>", "expected a spreadsheet"),
            (sheetPart, "<worksheet><sheetData><row>", "no element"),
            ("xl/workbook.xml", "<document/>", "expected a spreadsheet"),
            (
                "[Content_Types].xml", "<Types><Default Extension=\"xml\" ContentType=\"text/xml\"/></Types>",
                "expected a spreadsheet"
            ),
            (
                "[Content_Types].xml",
                "<Types><Override PartName=\"/xl/workbook.xml\" ContentType=\"application/vnd.ms-excel.sheet.binary.macroEnabled.main\"/></Types>",
                ".xlsb"
            ),
            (
                "_rels/.rels",
                "<R><Relationship Id=\"a\" Type=\"x/officeDocument\" TargetMode=\"External\" Target=\"http://127.0.0.1/\"/></R>",
                "expected a spreadsheet"
            ),
            (
                "xl/_rels/workbook.xml.rels",
                "<R><Relationship Id=\"rId1\" Type=\"x/worksheet\" Target=\"../../../../etc/passwd\"/></R>",
                "etc/passwd is missing"
            ),
            (sheetPart, "<!DOCTYPE a [<!ENTITY b \"c\">]><worksheet/>", "document type"),
            (
                sheetPart, "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><worksheet>&b;</worksheet>",
                "document type"
            ),
            ("[Content_Types].xml", "<!DOCTYPE a SYSTEM \"http://127.0.0.1/\"><Types/>", "document type"),
            (sheetPart, "<worksheet>&b;</worksheet>", "undefined entity"),
            (sheetPart, "<?xml version=\"1.0\" encoding=\"UTF-16\"?><worksheet/>", "expected UTF-8"),
            (sheetPart, "<worksheet>" + String(repeating: "<a>", count: 1_000_000), "levels"),
            (
                sheetPart, "<worksheet>" + (0..<1_000_000).map { "<a\($0)/>" }.joined() + "</worksheet>",
                "different names"
            ),
            (sheetPart, "<worksheet a=\"" + String(repeating: "b", count: 8_000_000) + "\"/>", "tags of at most"),
            (
                sheetPart, "<worksheet><!--" + String(repeating: "b", count: 8_000_000) + "--></worksheet>",
                "tags of at most"
            ),
        ] as [(String, String?, String)]
    )
    func wrongParts(part: String, content: String?, reason: String) throws {
        let message = try refusal(Self.changed(part, content).bytes())
        #expect(message.contains(reason) && message.count < 400, "\(message)")
    }

    private static func row(of count: Int, _ cell: (Int) -> String) -> String {
        "<row r=\"1\">\((0..<count).map(cell).joined())</row>"
    }

    @Test(
        "Cells and rows that are wrong",
        arguments: [
            ("<row><c t=\"s\"><v>0</v></c></row>", "cell A1: expected the number of a shared text"),
            ("<row><c t=\"s\"><v>-1</v></c></row>", "shared text"),
            ("<row><c t=\"s\"><v>1e9</v></c></row>", "shared text"),
            ("<row><c><v>x</v></c></row>", "cell A1: expected a number, not x"),
            ("<row><c><v>1e999</v></c></row>", "a number"),
            ("<row><c><v>0x10</v></c></row>", "a number"), ("<row><c t=\"b\"><v>2</v></c></row>", "a boolean"),
            ("<row><c t=\"d\"><v>2026-13-01</v></c></row>", "a date"), ("<row r=\"0\"/>", "rows in order"),
            ("<row r=\"1048577\"/>", "rows in order"), ("<row r=\"99999999999999999999\"/>", "expected a number"),
            ("<row r=\"2\"><c r=\"A2\"/></row><row r=\"1\"/>", "rows in order"),
            ("<row r=\"2\"/><row r=\"2\"/>", "rows in order"),
            ("<row r=\"1\"><c r=\"A2\"><v>1</v></c></row>", "its own cells"),
            ("<row><c r=\"1A\"/></row>", "a cell like B7"),
            ("<row><c r=\"AAAA1\"/></row>", "a cell like B7"), ("<row><c r=\"A-1\"/></row>", "a cell like B7"),
            ("<row><c r=\"A1\"><v>1</v></c><c r=\"A1\"><v>2</v></c></row>", "cell A1: expected it once"),
            ("<row><c r=\"SG1\"><v>1</v></c></row>", "cell SG1: expected at most 500 columns"),
            (row(of: 501) { _ in "<c><v>1</v></c>" }, "500 columns"),
            (row(of: 600) { _ in "<c r=\"A1\"><v>1</v></c>" }, "500 columns"),
            (
                row(of: 1) { _ in "<c t=\"str\"><v>\(String(repeating: "a", count: 32_768))</v></c>" },
                "32767 characters"
            ),
            (
                row(of: 1) { _ in "<c t=\"str\"><v>\(String(repeating: "a", count: 9_000_000))</v></c>" },
                "32767 characters"
            ),
            (row(of: 40) { _ in "<c t=\"str\"><v>\(String(repeating: "a", count: 32_767))</v></c>" }, "1024 KiB"),
        ]
    )
    func wrongCells(data: String, reason: String) throws {
        let message = try refusal(Self.workbook(data).bytes())
        #expect(message.contains(reason) && message.count < 400, "\(message)")
    }

    @Test("A million empty cells and rows cost nothing, and the longest text is read")
    func emptyCells() throws {
        let cells = Self.row(of: 1_000_000) { _ in "<c r=\"XFD1\" s=\"1\"/>" }
        #expect(try rows(cells + String(repeating: "<row/>", count: 1_000_000)).isEmpty)
        let text = String(repeating: "è", count: 32_767)
        #expect(try rows("<row><c t=\"str\"><v>\(text)</v></c></row>") == [[text]])
    }

    @Test("Cells without a text are work, too, though a file with many of them is small")
    func elements() throws {
        let cells = "<row>\(String(repeating: "<c/>", count: SpreadsheetLimits.maxElements))</row>"
        #expect(try refusal(Self.workbook(cells).bytes()).contains("5000000 cells"))
    }

    @Test("Shared texts have bounds, also where many cells have a long one")
    func sharedTexts() throws {
        let long = "<si><t>\(String(repeating: "a", count: 32_767))</t></si>"
        let one = Self.workbook(Self.row(of: 40) { _ in "<c t=\"s\"><v>0</v></c>" }, shared: long)
        #expect(try refusal(one.bytes()).contains("KiB"))
        let different = Self.workbook("", shared: String(repeating: long, count: 2_100))
        #expect(try refusal(different.bytes()).contains("64 MiB"))
        let endless = Self.workbook("", shared: "<si><t>\(String(repeating: "a", count: 9_000_000))</t></si>")
        #expect(try refusal(endless.bytes()).contains("32767 characters"))
    }

    @Test("Too many sheets, formats, types and relationships")
    func counts() throws {
        let sheets = String(repeating: "<sheet name=\"a\" r:id=\"rId1\" state=\"hidden\"/>", count: 1_001)
        #expect(
            try refusal(Self.changed("xl/workbook.xml", "<workbook><sheets>\(sheets)</sheets></workbook>").bytes())
                .contains("1000 sheets"))
        let formats = String(repeating: "<xf/>", count: 100_001)
        let styles = Self.changed("xl/styles.xml", "<styleSheet><cellXfs>\(formats)</cellXfs></styleSheet>")
        #expect(try refusal(styles.bytes()).contains("formats"))
        let types = (0..<5_000).map { "<Default Extension=\"\($0)\" ContentType=\"a\"/>" }.joined()
        #expect(try refusal(Self.changed("[Content_Types].xml", "<T>\(types)</T>").bytes()).contains("types"))
        let targets = (0..<3_000).map { "<Relationship Id=\"\($0)\" Target=\"a\"/>" }.joined()
        #expect(try refusal(Self.changed("_rels/.rels", "<T>\(targets)</T>").bytes()).contains("targets"))
        // Each look for a sheet with rows reads the list of entries.
        let empty = (0..<1_000).map { Sheet("", name: "\($0)") }
        #expect(try read(SpreadsheetFile.workbook(empty).bytes()).sheet == "0")
    }

    @Test("A part that unpacks to more than it may is refused, at a thousandth of the size")
    func bomb() throws {
        var zip = ZipWriter()
        for part in Self.workbook(Self.good).parts where part.name != Self.sheetPart {
            zip.add(part.name, part.content)
        }
        let start = "<worksheet><sheetData>\(Self.good)</sheetData>"
        zip.add(Self.sheetPart, Array(start.utf8) + [UInt8](repeating: 0x20, count: SpreadsheetLimits.maxEntryBytes))
        let bytes = zip.finish()
        #expect(bytes.count < 400_000)
        #expect(try refusal(bytes).contains("256 MiB"))
    }

    /// A workbook whose sheet is written with lies.
    private static func zip(_ lies: ZipWriter.Lies, times: Int = 1) -> [UInt8] {
        var zip = ZipWriter()
        for part in workbook(good).parts {
            let isSheet = part.name == sheetPart
            for _ in 0..<(isSheet ? times : 1) {
                zip.add(part.name, part.content, isStored: lies.method != nil, isSheet ? lies : ZipWriter.Lies())
            }
        }
        return zip.finish()
    }

    private static func lies(_ change: (inout ZipWriter.Lies) -> Void) -> ZipWriter.Lies {
        var lies = ZipWriter.Lies()
        change(&lies)
        return lies
    }

    @Test(
        "ZIP files that are wrong",
        arguments: [
            ("checksum", zip(lies { $0.checksum = 1 }), "damaged"),
            ("size", zip(lies { $0.size = 1 }), "damaged"),
            ("password", zip(lies { $0.flags = 1 }), "password"),
            ("strong encryption", zip(lies { $0.flags = 0x41 }), "password"),
            ("link", zip(lies { $0.mode = 0o120777 }), "missing"),
            ("folder", zip(lies { $0.mode = 0o040777 }), "missing"),
            ("LZMA", zip(lies { $0.method = 14 }), "method"), ("PPMd", zip(lies { $0.method = 98 }), "method"),
            ("unknown method", zip(lies { $0.method = 77 }), "method"),
            ("the part twice", zip(ZipWriter.Lies(), times: 2), "once"),
            ("at the offset of another part", zip(lies { $0.offset = 0 }), "missing"),
            ("behind the end", zip(lies { $0.offset = 0x7FFF_FFFF }), "damaged"),
            ("one byte less", Array(zip(ZipWriter.Lies()).dropLast()), "damaged"),
            ("half", Array(zip(ZipWriter.Lies()).prefix(900)), "damaged"),
            ("the beginning", Array("PK\u{3}\u{4}".utf8), "damaged"),
            ("nothing", [], "expected a spreadsheet"), ("CSV", Array("a,b\n1,2\n".utf8), "expected a spreadsheet"),
            ("empty ZIP file", ZipWriter().finish(), "expected a spreadsheet"),
            (
                "old Excel", [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + [UInt8](repeating: 0, count: 512),
                ".xlsx without a password"
            ),
            ("another ZIP file", SpreadsheetFile([("a.txt", "b")]).bytes(), "expected a spreadsheet (.xlsx or .ods)"),
            ("Numbers", SpreadsheetFile([("Index/Document.iwa", "b")]).bytes(), "Apple Numbers"),
            (
                "text document",
                SpreadsheetFile([("mimetype", "application/vnd.oasis.opendocument.text"), ("content.xml", "<a/>")])
                    .bytes(), "expected a spreadsheet"
            ),
            (
                "OpenDocument of LibreOffice 24 with a password", SpreadsheetFile([("encrypted-package", "b")]).bytes(),
                "password"
            ),
        ]
    )
    func wrongZIPs(name: String, bytes: [UInt8], reason: String) throws {
        let message = try refusal(bytes)
        #expect(message.contains(reason) && message.count < 400, "\(name): \(message)")
    }

    @Test("Too many entries, and a list of entries that is longer than a file of parts needs")
    func entries() throws {
        var zip = ZipWriter()
        for number in 0..<3_000 { zip.add("\(number)", []) }
        #expect(try refusal(zip.finish()).contains("2000 parts"))
        var long = ZipWriter()
        long.add("a", [])
        for number in 0..<200_000 { long.add("\(number)", [], ZipWriter.Lies(offset: UInt32(number % 1000))) }
        #expect(try refusal(long.finish()).contains("fewer parts"))
    }

    @Test("Paths in a ZIP file mean nothing, and nothing is written")
    func paths() throws {
        let name = "spreadsheet-escape-\(UUID().uuidString)"
        var file = Self.workbook(Self.good)
        for path in ["/tmp/\(name)", "../../../../../tmp/\(name)", "..\\\(name)", "C:\\\(name)"] { file.set(path, "x") }
        #expect(try read(file.bytes()).rows == [["1"], ["2"]])
        #expect(!FileManager.default.fileExists(atPath: "/tmp/\(name)"))
    }

    @Test("A file in a file system that is not regular is refused without waiting")
    func pipes() throws {
        let pipe = FileManager.default.temporaryDirectory.appending(path: "spreadsheet-\(UUID().uuidString)")
        try #require(mkfifo(pipe.path, 0o600) == 0)
        defer { try? FileManager.default.removeItem(at: pipe) }
        for file in [
            pipe, FileManager.default.temporaryDirectory, URL(filePath: "/dev/zero"), URL(filePath: "/nowhere"),
        ] {
            #expect(throws: SpreadsheetError.self) { try SpreadsheetReader(file) }
        }
    }

    private static func table(_ rows: String) -> String { "<table:table table:name=\"a\">\(rows)</table:table>" }

    private static func tableCell(_ attributes: String, _ text: String = "a") -> String {
        "<table:table-row><table:table-cell \(attributes)><text:p>\(text)</text:p></table:table-cell></table:table-row>"
    }

    @Test(
        "OpenDocument files that are wrong",
        arguments: [
            (table(tableCell("table:number-columns-repeated=\"501\"")), "500 columns"),
            (table(tableCell("table:number-columns-repeated=\"1000000000\"")), "500 columns"),
            (table(tableCell("table:number-columns-repeated=\"99999999999999999999\"")), "a number of repetitions"),
            (table(tableCell("table:number-columns-repeated=\"-1\"")), "a number of repetitions"),
            (table(tableCell("table:number-columns-repeated=\"0\"")), "a number of repetitions"),
            (table("<table:table-row table:number-rows-repeated=\"x\"/>"), "a number of repetitions"),
            (
                table(
                    "<table:table-row table:number-rows-repeated=\"1048577\"><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row>"
                ),
                "1048576 rows"
            ),
            (
                table(
                    "<table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell table:number-columns-repeated=\"500\"><text:p>\(String(repeating: "a", count: 2000))</text:p></table:table-cell></table:table-row>"
                ),
                "512 MiB"
            ),
            (
                table(tableCell("table:number-columns-repeated=\"500\"", String(repeating: "a", count: 30_000))),
                "1024 KiB"
            ),
            (table(tableCell("", "<text:s text:c=\"999999999\"/>a")), "characters"),
            (table(tableCell("", String(repeating: "<text:s text:c=\"30000\"/>", count: 1000))), "characters"),
            (table(tableCell("office:value-type=\"float\"")), "a value of the type float"),
            (table(tableCell("office:value-type=\"float\" office:value=\"x\"")), "a number, not x"),
            (
                table(tableCell("office:value-type=\"date\" office:date-value=\"2026-02-99\"")),
                "a value of the type date"
            ),
            (
                table(tableCell("office:value-type=\"time\" office:time-value=\"PT9999999999H\"")),
                "a value of the type time"
            ),
            (table(tableCell("office:value-type=\"time\" office:time-value=\"PT\"")), "a value of the type time"),
            (
                table(tableCell("office:value-type=\"boolean\" office:boolean-value=\"x\"")),
                "a value of the type boolean"
            ),
            (String(repeating: "<table:table/>", count: 1_001), "1000 sheets"),
            ("", "visible sheet"),
            (table(tableCell("", String(repeating: "<text:span>", count: 100_000))), "levels"),
        ]
    )
    func wrongOpenDocuments(body: String, reason: String) throws {
        let message = try refusal(SpreadsheetFile.openDocument(body).bytes())
        #expect(message.contains(reason) && message.count < 400, "\(message)")
    }

    @Test("An OpenDocument file with a password is refused")
    func encryptedOpenDocument() throws {
        var file = SpreadsheetFile.openDocument("")
        file.set(
            "META-INF/manifest.xml",
            "<manifest:manifest xmlns:manifest=\"m\"><manifest:file-entry><manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
        )
        #expect(try refusal(file.bytes()).contains("password"))
        file = SpreadsheetFile.openDocument("")
        file.set(
            "content.xml",
            "<office:document-content><office:body><office:text/></office:body></office:document-content>")
        #expect(try refusal(file.bytes()).contains("expected a spreadsheet"))
    }

    @Test("Nested tables, changes and shapes are not rows")
    func otherTables() throws {
        let inner = Self.table(Self.tableCell(""))
        let body =
            "<table:tracked-changes><table:cell-content-change>\(Self.tableCell(""))</table:cell-content-change></table:tracked-changes>"
            + Self.table(
                "<table:shapes>\(inner)</table:shapes><table:table-row><table:table-cell>\(inner)<text:p>b</text:p></table:table-cell></table:table-row>"
            )
        #expect(try read(SpreadsheetFile.openDocument(body).bytes()).rows == [["b"]])
    }
}
