import Foundation
import SpreadsheetSupport
import Spreadsheets
import Testing

/// The rows of a file in a folder that is removed afterwards.
func read(_ bytes: [UInt8]) throws -> (sheet: String, numbers: [Int], rows: [[String]]) {
    let file = FileManager.default.temporaryDirectory.appending(path: "spreadsheet-\(UUID().uuidString)")
    try Data(bytes).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    return try read(file)
}

func read(_ file: URL) throws -> (sheet: String, numbers: [Int], rows: [[String]]) {
    var reader = try SpreadsheetReader(file)
    var (numbers, rows): ([Int], [[String]]) = ([], [])
    while let row = try reader.next() {
        numbers.append(row.number)
        rows.append(row.cells)
    }
    return (reader.sheet, numbers, rows)
}

/// The rows of a sheet whose XML is given.
func rows(
    _ data: String, shared: String? = nil, codes: [String] = [], formats: [Int] = [], properties: String = ""
) throws -> [[String]] {
    try read(
        SpreadsheetFile.workbook(
            [SpreadsheetFile.Sheet(data)],
            shared: shared,
            codes: codes,
            formats: formats,
            properties: properties
        ).bytes()
    ).rows
}

/// The text of a single cell, "" for none.
func cell(
    _ xml: String, shared: String? = nil, codes: [String] = [], formats: [Int] = [], properties: String = ""
) throws -> String {
    try rows("<row r=\"1\">\(xml)</row>", shared: shared, codes: codes, formats: formats, properties: properties).first?
        .last ?? ""
}

/// The text of a cell with a number in a custom format.
func number(_ value: String, _ code: String? = nil, properties: String = "") throws -> String {
    try cell(
        "<c r=\"A1\" s=\"\(code == nil ? 0 : 1)\"><v>\(value)</v></c>", codes: code.map { [$0] } ?? [],
        properties: properties)
}

/// The rows of a table of an .ods file.
func tableRows(_ table: String) throws -> [[String]] {
    try read(SpreadsheetFile.openDocument("<table:table table:name=\"Cani\">\(table)</table:table>").bytes()).rows
}

/// The message of the error for a file that is refused.
func refusal(_ bytes: [UInt8]) throws -> String {
    try #require(throws: SpreadsheetError.self) { try read(bytes) }.message.text
}
