import SpreadsheetSupport
import Spreadsheets
import Testing

@Suite("Spreadsheets: OpenDocument")
struct OpenDocumentTests {
    private static func row(_ cells: String, _ attributes: String = "") -> String {
        "<table:table-row \(attributes)>\(cells)</table:table-row>"
    }

    private static func text(_ text: String, _ attributes: String = "") -> String {
        "<table:table-cell office:value-type=\"string\" \(attributes)><text:p>\(text)</text:p></table:table-cell>"
    }

    private static func value(_ type: String, _ value: String) -> String {
        let name = ["boolean": "boolean-value", "date": "date-value", "time": "time-value"][type] ?? "value"
        return
            "<table:table-cell office:value-type=\"\(type)\" office:\(name)=\"\(value)\"><text:p>shown</text:p></table:table-cell>"
    }

    @Test(
        "Values by their types",
        arguments: [
            (value("float", "380260000123456"), "380260000123456"), (value("float", "0.30000000000000004"), "0.3"),
            (value("percentage", "0.5"), "0.5"), (value("currency", "4.50"), "4.5"), (value("boolean", "true"), "true"),
            (value("date", "2026-10-11"), "2026-10-11"),
            (value("date", "2026-10-11T18:30:00.000000000"), "2026-10-11T18:30"),
            (value("date", "2026-10-11T00:00:00"), "2026-10-11"), (value("time", "PT18H30M00S"), "18:30"),
            (value("time", "PT30H00M05.000000001S"), "30:00:05"), (value("time", "P1DT2H"), "26:00"),
            (value("time", "-PT1H"), "-01:00"),
            (text("Argo &amp; Bea"), "Argo & Bea"),
            ("<table:table-cell><text:p>untyped</text:p></table:table-cell>", "untyped"),
            ("<table:table-cell office:value-type=\"string\" office:string-value=\"own\"/>", "own"),
            (
                "<table:table-cell office:value-type=\"string\" office:string-value=\"\" calcext:value-type=\"error\"><text:p>#REF!</text:p></table:table-cell>",
                ""
            ),
        ]
    )
    func values(cell: String, expected: String) throws {
        #expect(try tableRows(Self.row(Self.text("a") + cell)).first?.dropFirst().first ?? "" == expected)
    }

    @Test(
        "Texts of paragraphs",
        arguments: [
            ("a</text:p><text:p>b", "a\nb"), ("  a \n b  ", "a b"), ("a<text:s text:c=\"3\"/>b", "a   b"),
            ("<text:s/>a<text:tab/>b<text:line-break/>c", " a\tb\nc"),
            ("<text:span>Via <text:a href=\"x\">Roma</text:a></text:span> 1", "Via Roma 1"),
            ("a<text:note>no</text:note><draw:frame><text:p>no</text:p></draw:frame>b", "ab"),
            ("<text:ruby><text:ruby-base>a</text:ruby-base><text:ruby-text>no</text:ruby-text></text:ruby>", "a"),
            ("a</text:p><office:annotation><text:p>no</text:p></office:annotation><text:p>", "a\n"),
            ("_x000D_", "_x000D_"),
        ]
    )
    func paragraphs(text: String, expected: String) throws {
        #expect(try tableRows(Self.row(Self.text(text))) == [[expected]])
    }

    @Test("Repeated and covered cells and rows; the empty rest of a sheet costs nothing")
    func repeats() throws {
        let rest = "<table:table-cell table:number-columns-repeated=\"16384\"/>"
        let table =
            "<table:table-column table:number-columns-repeated=\"16384\"/><table:table-header-rows>"
            + Self.row(Self.text("a", "table:number-columns-repeated=\"3\"") + rest) + "</table:table-header-rows>"
            + Self.row(rest, "table:number-rows-repeated=\"7\"")
            + "<table:table-row-group><table:table-row-group>"
            + Self.row(
                "<table:table-cell table:number-columns-repeated=\"2\"/>"
                    + Self.text("b", "table:number-columns-spanned=\"2\"")
                    + "<table:covered-table-cell><text:p>no</text:p></table:covered-table-cell>" + Self.text("c")
                    + rest,
                "table:number-rows-repeated=\"2\""
            ) + "</table:table-row-group></table:table-row-group>"
            + Self.row(rest, "table:number-rows-repeated=\"1048566\"")
        let file = SpreadsheetFile.openDocument("<table:table table:name=\"Cani\">\(table)</table:table>")
        let (_, numbers, rows) = try read(file.bytes())
        #expect(numbers == [1, 9, 10])
        #expect(rows == [["a", "a", "a"], ["", "", "b", "", "c"], ["", "", "b", "", "c"]])
    }

    @Test("The first visible sheet with two rows is read, otherwise the first visible one")
    func choice() throws {
        let styles = ["true", "false"].map {
            "<style:style style:name=\"\($0)\" style:family=\"table\"><style:table-properties table:display=\"\($0)\"/></style:style>"
        }.joined()
        func sheet(_ tables: (String, Int, Bool)...) throws -> (String, Int) {
            let body = tables.map { name, count, isVisible in
                let rows = String(repeating: Self.row(Self.text("a")), count: count)
                return "<table:table table:name=\"\(name)\" table:style-name=\"\(isVisible)\">\(rows)</table:table>"
            }
            let (name, _, rows) = try read(SpreadsheetFile.openDocument(body.joined(), styles: styles).bytes())
            return (name, rows.count)
        }
        #expect(try sheet(("a", 1, true), ("b", 2, false), ("c", 3, true), ("d", 4, true)) == ("c", 3))
        #expect(try sheet(("a", 2, false), ("b", 1, true), ("c", 1, true)) == ("b", 1))
        #expect(try sheet(("a", 0, true)) == ("a", 0))
        #expect(throws: SpreadsheetError.self) { try sheet(("a", 5, false)) }
    }
}
