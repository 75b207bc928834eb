import Foundation
import SpreadsheetSupport
import Spreadsheets

/// Spreadsheets that people choose for imports: whole files, and the XML in them, which a changed byte of a compressed
/// file seldom reaches.
let spreadsheetParsers: [Parser] = [
    Parser(
        name: "spreadsheet",
        seeds: ["openpyxl.xlsx", "xlsxwriter.xlsx", "calc.ods", "odfpy.ods"].flatMap {
            file("Tests/SpreadsheetsTests/Files/\($0)")
        } + [sampleWorkbook.bytes(isStored: true), sampleDocument.bytes(isStored: true)],
        words: ["PK\u{3}\u{4}", "PK\u{1}\u{2}", "PK\u{5}\u{6}", "xl/workbook.xml", "content.xml", "mimetype"],
        read: readSpreadsheet
    ),
    part(of: sampleWorkbook, "xl/worksheets/sheet1.xml"), part(of: sampleWorkbook, "xl/sharedStrings.xml"),
    part(of: sampleWorkbook, "xl/styles.xml"), part(of: sampleWorkbook, "xl/workbook.xml"),
    part(of: sampleDocument, "content.xml"),
]

private let sampleWorkbook = SpreadsheetFile.workbook(
    [
        SpreadsheetFile.Sheet(
            "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"C1\" t=\"inlineStr\"><is><r><t>a</t></r><rPh><t>b</t></rPh></is></c></row>"
                + "<row r=\"3\"><c r=\"A3\" s=\"1\"><v>46306.7708333</v></c><c t=\"b\"><v>1</v></c><c t=\"e\"><v>#REF!</v></c>"
                + "<c t=\"str\"><f>A1</f><v>x_x000D_</v></c><c s=\"2\"><v>184</v></c><c><v>3.80260000123456E+14</v></c></row>"
                + "<row><c t=\"d\"><v>2026-10-11T18:30:00</v></c></row>"
        ),
        SpreadsheetFile.Sheet("<row><c><v>1</v></c></row>", name: "b", state: "hidden"),
    ],
    shared: "<si><t>Argo &amp; Bea</t></si><si><r><t>a</t></r><rPh><t>b</t></rPh></si>",
    codes: ["[$-410]dd/mm/yyyy\\ h:mm AM/PM;\"x\"@", "00000", "[h]:mm"],
    formats: [14, 22, 46],
    properties: "date1904=\"0\""
)

private let sampleDocument = SpreadsheetFile.openDocument(
    "<table:table table:name=\"a\" table:style-name=\"b\"><table:table-row><table:table-cell/></table:table-row></table:table>"
        + "<table:table table:name=\"Cani\"><table:table-row table:number-rows-repeated=\"2\"><table:table-cell office:value-type=\"string\">"
        + "<text:p>a <text:s text:c=\"3\"/><text:span>b</text:span></text:p><text:p>c</text:p><office:annotation><text:p>d</text:p></office:annotation>"
        + "</table:table-cell><table:covered-table-cell/><table:table-cell table:number-columns-repeated=\"3\" office:value-type=\"float\" office:value=\"4.50\"/>"
        + "<table:table-cell office:value-type=\"date\" office:date-value=\"2026-10-11T18:30:00\"/>"
        + "<table:table-cell office:value-type=\"time\" office:time-value=\"PT18H30M00S\"/>"
        + "<table:table-cell office:value-type=\"boolean\" office:boolean-value=\"true\"/></table:table-row>"
        + "<table:table-row table:number-rows-repeated=\"1048573\"><table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row></table:table>",
    styles:
        "<style:style style:name=\"b\" style:family=\"table\"><style:table-properties table:display=\"false\"/></style:style>"
)

/// Changes one part of a file and leaves the others as they are.
private func part(of sample: SpreadsheetFile, _ name: String) -> Parser {
    Parser(
        name: name.split(separator: "/").last.map(String.init) ?? name,
        seeds: sample.parts.filter { $0.name == name }.map(\.content),
        words: [
            "<c r=\"B7\">", "<row r=\"7\">", "<v>", "</v>", "t=\"s\"", "t=\"d\"", "<is><t>", "<si>",
            "<xf numFmtId=\"14\"/>",
            "formatCode=\"", "table:number-columns-repeated=\"500\"", "table:number-rows-repeated=\"", "<text:p>",
            "<table:table-row>", "office:value-type=\"date\"", "<!DOCTYPE a [<!ENTITY b \"c\">]>", "&b;", "&#10;",
            "E+14",
            "_x0041_", "/>", "[h]",
        ],
        read: { bytes in
            var file = sample
            for index in file.parts.indices where file.parts[index].name == name { file.parts[index].content = bytes }
            try readSpreadsheet(file.bytes(isStored: true))
        }
    )
}

private func readSpreadsheet(_ bytes: [UInt8]) throws {
    let url = scratch.appending(path: "a.spreadsheet")
    try Data(bytes).write(to: url)
    var reader = try SpreadsheetReader(url)
    var last = 0
    while let row = try reader.next() {
        precondition(row.number > last && row.number <= SpreadsheetLimits.maxRows, "rows out of order")
        precondition((1...SpreadsheetLimits.maxColumns).contains(row.cells.count), "no or too many cells")
        precondition(
            row.cells.last?.isEmpty == false && row.cells.joined().contains { !$0.isWhitespace }, "an empty row")
        precondition(row.cells.allSatisfy { $0.utf16.count <= SpreadsheetLimits.maxCellCharacters }, "a long text")
        last = row.number
    }
}
