import Foundation
import Spreadsheets
import Testing

/// Files that real programs have written; `Files/make.py` names them.
@Suite("Spreadsheets: real files")
struct RealFileTests {
    private static func open(_ name: String) throws -> (sheet: String, numbers: [Int], rows: [[String]]) {
        let folder = try #require(Bundle.module.resourceURL)
        return try read(folder.appending(path: "Files/\(name)"))
    }

    private static let header = ["Microchip", "Nome", "Visto", "Giorno", "Ora", "Peso", "Sterilizzato", "Note"]

    @Test("openpyxl")
    func openpyxl() throws {
        let (sheet, numbers, rows) = try Self.open("openpyxl.xlsx")
        #expect(sheet == "Cani smarriti" && numbers == [1, 2, 3, 5])
        #expect(
            rows == [
                Self.header,
                [
                    "380260000123456", "Argo", "2026-10-11T18:30", "2026-10-11", "18:30", "4.5", "true",
                    "Città\nVia Roma",
                ],
                // openpyxl saves formulas without a value.
                ["380260000123457", "Bea", "", "", "", "0.3", "false"],
                ["Fine"],
            ]
        )
    }

    @Test(
        "XlsxWriter, and what LibreOffice makes of the file", arguments: ["xlsxwriter.xlsx", "calc.xlsx", "calc.ods"])
    func xlsxwriter(name: String) throws {
        let (sheet, numbers, rows) = try Self.open(name)
        #expect(sheet == "Cani" && numbers == [1, 2, 4])
        // In .ods files the zeros are in the styles only, and LibreOffice turns this boolean into a number.
        let (code, boolean) = name == "calc.ods" ? ("184", "1") : ("00184", "true")
        #expect(
            rows == [
                Self.header,
                [
                    "380260000123456", "Argo il bello", "2026-10-11T18:30", "2026-10-11", "18:30", "4.5", boolean,
                    "a\nb & c",
                ],
                ["unite", "", "", "", code],
            ]
        )
    }

    @Test("odfpy")
    func odfpy() throws {
        let (sheet, numbers, rows) = try Self.open("odfpy.ods")
        #expect(sheet == "Cani" && numbers == [1, 2, 1_048_576])
        #expect(
            rows == [
                Self.header,
                ["380260000123456", "Argo", "2026-10-11T18:30", "2026-10-11", "18:30", "4.5", "true", "Città & Via"],
                ["Fine"],
            ]
        )
    }
}
