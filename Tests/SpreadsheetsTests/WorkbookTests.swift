import SpreadsheetSupport
import Spreadsheets
import Testing

@Suite("Spreadsheets: workbooks")
struct WorkbookTests {
    @Test("Shared, inline and rich texts, in which phonetic runs are left out")
    func texts() throws {
        let shared =
            "<si><t>Argo &amp; Bea</t></si><si><r><rPr><b/></rPr><t xml:space=\"preserve\">Via </t></r><r><t>Roma</t></r>"
            + "<rPh sb=\"0\" eb=\"1\"><t>NO</t></rPh><phoneticPr fontId=\"1\"/></si><si/>"
        let cells =
            "<c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c><c r=\"C1\" t=\"s\"><v>2</v></c>"
            + "<c r=\"D1\" t=\"inlineStr\"><is><r><t>a</t></r><r><t>b</t></r><rPh><t>NO</t></rPh></is></c>"
            + "<c r=\"E1\" t=\"str\"><f>A1</f><v>x_x000D_\ny_x005F_z</v></c>"
        #expect(
            try rows("<row r=\"1\">\(cells)</row>", shared: shared) == [["Argo & Bea", "Via Roma", "", "ab", "x\ny_z"]]
        )
    }

    @Test(
        "Numbers are plain and exact",
        arguments: [
            ("380260000123456", "380260000123456"), ("3.80260000123456E+14", "380260000123456"),
            ("3802600001234567", "3802600001234567"), ("4.5", "4.5"), ("4.50", "4.5"), ("5.0", "5"),
            ("0.30000000000000004", "0.3"), ("4.4999999999999996", "4.5"), ("9.9999999999999999", "10"),
            ("-0.05", "-0.05"), ("1E-3", "0.001"), ("1e2", "100"), ("0", "0"), ("-0", "0"), ("007", "7"),
            ("0.1", "0.1"), (".5", "0.5"), ("123456.789", "123456.789"), ("1.5E+3", "1500"), (" 12 ", "12"),
            ("NaN", ""), ("INF", ""), ("99999999999999.99", "100000000000000"),
        ]
    )
    func numbers(value: String, expected: String) throws { #expect(try number(value) == expected) }

    @Test("Postal codes keep the zeros in front that their format shows")
    func padded() throws {
        #expect(try number("184", "00000") == "00184")
        #expect(try number("184.5", "00000") == "184.5")
        #expect(try number("184", "000-00") == "184")
    }

    @Test("Booleans, errors, formulas and cells without a value")
    func others() throws {
        #expect(try cell("<c t=\"b\"><v>1</v></c><c t=\"b\"><v>0</v></c>") == "false")
        #expect(
            try rows("<row><c t=\"e\"><v>#REF!</v></c><c><f>1+1</f><v>2</v></c><c><f>A1</f></c></row>") == [["", "2"]])
        #expect(try rows("<row><c s=\"1\"/><c t=\"s\"/><c><v/></c></row>").isEmpty)
        #expect(try cell("<c t=\"d\"><v>2026-10-11T18:30:00</v></c>") == "2026-10-11T18:30")
    }

    @Test(
        "Dates by the format of the cell",
        arguments: [
            ("46306", "dd/mm/yyyy", "2026-10-11"), ("46306.770833333336", "dd/mm/yyyy hh:mm", "2026-10-11T18:30"),
            ("46306.770833333336", "d mmm", "2026-10-11"), ("46306", "yyyy-mm-dd hh:mm:ss", "2026-10-11"),
            ("0.770833333333333", "hh:mm", "18:30"), ("46306.770833333336", "h:mm AM/PM", "18:30"),
            ("1.25", "[h]:mm", "30:00"), ("1.25", "[HH]:MM:SS", "30:00"), ("0.00001157407", "mm:ss.0", "00:00:01"),
            ("46306", "[$-410]d mmmm yyyy;@", "2026-10-11"), ("46306", "[$-F800]dddd\\,\\ mmmm\\ dd", "2026-10-11"),
            ("46306", "[Red]0", "46306"), ("46306", "[>=100]#,##0", "46306"), ("46306", "0\" days\"", "46306"),
            ("46306", "0\\d", "46306"), ("46306", "General", "46306"), ("46306", "0.00E+00", "46306"),
            ("46306", "#,##0.00\\ [$€-410]", "46306"), ("46306", "_-* #,##0.00\\ _d_-", "46306"),
            ("46306", "0.0;[Red]d", "46306"), ("46306", "\"year\" 0", "46306"), ("46306", "mmm", "2026-10-11"),
            ("1", "d/m/yy", "1900-01-01"), ("59", "d/m/yy", "1900-02-28"), ("60", "d/m/yy", "1900-02-29"),
            ("61", "d/m/yy", "1900-03-01"), ("0", "d/m/yy", "0"), ("-1", "d/m/yy", "-1"),
            ("2958465.5", "d/m/yy h:mm", "9999-12-31T12:00"), ("2958466", "d/m/yy", "2958466"),
            ("1E300", "d/m/yy", "1" + String(repeating: "0", count: 300)), ("0.5", "d/m/yy h:mm", "12:00"),
            ("2958465.9999999", "d/m/yy h:mm", "2958465.9999999"),
            ("46306.999999", "d/m/yy h:mm", "2026-10-12"), ("46306.7708449", "d/m/yy h:mm", "2026-10-11T18:30:01"),
        ]
    )
    func dates(value: String, code: String, expected: String) throws { #expect(try number(value, code) == expected) }

    @Test(
        "Built-in formats",
        arguments: [
            (14, "2026-10-11"), (17, "2026-10-11"), (22, "2026-10-11T18:30"), (18, "18:30"), (21, "18:30"),
            (45, "18:30"), (46, "1111362:30"), (47, "18:30"), (1, "46306.7708333333"), (13, "46306.7708333333"),
            (49, "46306.7708333333"),
        ])
    func builtIn(format: Int, expected: String) throws {
        #expect(try cell("<c s=\"1\"><v>46306.770833333336</v></c>", formats: [format]) == expected)
    }

    @Test("The calendar from 1904")
    func calendar1904() throws {
        let properties = "date1904=\"1\""
        #expect(try number("44844", "d/m/yyyy", properties: properties) == "2026-10-11")
        #expect(try number("0", "d/m/yyyy", properties: properties) == "1904-01-01")
        #expect(try number("44844", "d/m/yyyy", properties: "date1904=\"false\"") == "2022-10-10")
    }

    @Test("References may be missing or out of order, and cells without a text count for nothing")
    func references() throws {
        let data =
            "<row><c><v>1</v></c><c r=\"D1\"><v>4</v></c><c><v>5</v></c></row><row r=\"3\"><c r=\"C3\"><v>3</v></c>"
            + "<c r=\"A3\"><v>1</v></c><c r=\"XFD3\" s=\"1\"/></row><row><c r=\"B9\"><v>2</v></c></row><row><c><v>x</v></c></row>"
        let file = SpreadsheetFile.workbook([SpreadsheetFile.Sheet(data.replacing("<v>x</v>", with: "<v>7</v>"))])
        let (_, numbers, rows) = try read(file.bytes())
        #expect(numbers == [1, 3, 9, 10])
        #expect(rows == [["1", "", "", "4", "5"], ["1", "", "3"], ["", "2"], ["7"]])
    }

    @Test("Rows without words are skipped, and merged cells have their text once")
    func emptyRows() throws {
        let space = "<c t=\"inlineStr\"><is><t xml:space=\"preserve\">  </t></is></c>"
        let data =
            "<row/><row>\(space)</row><row><c><v>1</v></c>\(space)</row><row r=\"9\"><c r=\"B9\"><v>2</v></c><c r=\"C9\"/></row>"
        let (_, numbers, rows) = try read(SpreadsheetFile.workbook([SpreadsheetFile.Sheet(data)]).bytes(isStored: true))
        #expect(numbers == [3, 9] && rows == [["1", "  "], ["", "2"]])
    }

    private static let two = "<row><c><v>1</v></c></row><row><c><v>2</v></c></row>"

    @Test("The first visible sheet with two rows is read, otherwise the first visible one")
    func choice() throws {
        func sheet(_ sheets: (String, String?, String)...) throws -> (String, Int) {
            let file = SpreadsheetFile.workbook(sheets.map { SpreadsheetFile.Sheet($0.0, name: $0.2, state: $0.1) })
            let (name, _, rows) = try read(file.bytes())
            return (name, rows.count)
        }
        let one = "<row><c><v>1</v></c></row>"
        #expect(try sheet((one, nil, "a"), (Self.two, "hidden", "b"), (Self.two, nil, "c")) == ("c", 2))
        #expect(try sheet((Self.two, "veryHidden", "a"), (one, "visible", "b"), (one, nil, "c")) == ("b", 1))
        #expect(try sheet(("", nil, "a"), (one, nil, "b")) == ("a", 0))
        #expect(try sheet((Self.two, nil, "a &amp; b"), (Self.two, nil, "b")) == ("a & b", 2))
        let hidden = SpreadsheetFile.workbook([SpreadsheetFile.Sheet(Self.two, state: "hidden")])
        #expect(try refusal(hidden.bytes()).contains("visible sheet"))
    }

    @Test("Prefixes, other cases of names, absolute paths, a byte order mark and the strict namespace")
    func variants() throws {
        var file = SpreadsheetFile.workbook([SpreadsheetFile.Sheet("")], shared: "<si><t>Argo</t></si>")
        file.set(
            "xl/worksheets/sheet1.xml",
            "\u{FEFF}<x:worksheet xmlns:x=\"http://purl.oclc.org/ooxml/spreadsheetml/main\"><x:sheetData><x:row>"
                + "<x:c t=\"s\"><x:v>0</x:v></x:c><x:c t=\"inlineStr\"><x:is><x:t>b</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>"
        )
        file.parts = file.parts.map {
            ($0.name == "xl/sharedStrings.xml" ? "xl/SharedStrings.xml" : $0.name, $0.content)
        }
        #expect(try read(file.bytes()).rows == [["Argo", "b"]])
    }

    @Test("A large sheet is read completely")
    func large() throws {
        let (rowCount, columns) = (50_000, 20)
        var data = ""
        for row in 1...rowCount {
            data += "<row r=\"\(row)\">"
            for column in 0..<columns {
                let letter = UnicodeScalar(UInt8(65 + column))
                data +=
                    column % 2 == 0
                    ? "<c r=\"\(letter)\(row)\" t=\"s\"><v>\(row % 3)</v></c>"
                    : "<c r=\"\(letter)\(row)\"><v>\(row * column)</v></c>"
            }
            data += "</row>"
        }
        let shared = "<si><t>Argo</t></si><si><t>Bea</t></si><si><t>Tobia</t></si>"
        let (_, numbers, rows) = try read(
            SpreadsheetFile.workbook([SpreadsheetFile.Sheet(data)], shared: shared).bytes())
        #expect(numbers == Array(1...rowCount))
        #expect(rows.allSatisfy { $0.count == columns } && rows[7][1] == "8" && rows[7][0] == "Tobia")
    }
}
