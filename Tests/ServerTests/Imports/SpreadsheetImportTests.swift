import Domain
import Foundation
import ServerSupport
import SpreadsheetSupport
import TestSupport
import Testing

@testable import Server

@Suite("Imports of spreadsheets")
struct SpreadsheetImportTests {
    private static let excel = ImportRoutes.spreadsheets[0]

    private static func row(_ cells: [String]) -> String {
        "<row>" + cells.map { "<c t=\"inlineStr\"><is><t>\($0)</t></is></c>" }.joined() + "</row>"
    }

    /// A title, a header, a row with a number, a day and a long number, and a short row.
    private static var workbook: [UInt8] {
        let rows = [
            row(["Canile di Salerno"]), row(["Scheda", "Situazione", "Nome", "Comune", "Data entrata", "Microchip"]),
            """
            <row><c><v>12</v></c><c t="inlineStr"><is><t>In canile</t></is></c><c t="inlineStr"><is><t>Argo</t></is></c>
            <c t="inlineStr"><is><t>Salerno</t></is></c><c s="1"><v>45941</v></c><c><v>380260000123456</v></c></row>
            """, row(["13", "In canile", "Luna", "Eboli"]),
        ]
        return SpreadsheetFile.workbook([.init(rows.joined())], formats: [14]).bytes()
    }

    private static func upload(
        _ bytes: [UInt8],
        _ token: String,
        _ service: RunningService,
        type: String = excel
    ) async throws -> RunningService.Answer {
        try await service.send("POST", "/v1/imports?lang=it", bytes: Data(bytes), token, ["Content-Type": type])
    }

    @Test("A spreadsheet is read like CSV, whatever the type that it is sent with", arguments: [excel, "text/csv"])
    func workbook(type: String) async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let created = try await Self.upload(Self.workbook, token, service, type: type)
            let ended = try await service.ended(created, token)
            #expect(ended["rows", "created"] == .number(2), "\(ended.html)")
            let found = try await service.send("GET", "/v1/me/listings?q=Argo", token: token)
            #expect(found.text("features", "0", "properties", "reference") == "12")
            #expect(found.text("features", "0", "properties", "microchip") == "380260000123456")
            #expect(found.text("features", "0", "properties", "last_seen_at")?.hasPrefix("2025-10-11") == true)
        }
    }

    @Test("A file that cannot be read is refused at once, with words on what to do")
    func refused() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.register("shelter@example.org")
            let old: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1] + Array(repeating: 0, count: 600)
            let other = SpreadsheetFile([("word/document.xml", "<x/>")]).bytes()
            for (bytes, words) in [
                (old, "password"), (other, "expected a spreadsheet"), (Array(Self.workbook.dropLast(40)), ""),
            ] {
                let answer = try await Self.upload(bytes, token, service)
                #expect(answer.status == 400 && answer.text("field") == "body", "\(answer.html)")
                #expect(words.isEmpty || answer.text("detail")?.contains(words) == true, "\(answer.html)")
            }
            let files = try FileManager.default.contentsOfDirectory(
                atPath: service.board.folder.url.appending(path: "imports").path
            )
            #expect(files.isEmpty)
            // The page says what it takes.
            let boundary = "x"
            let body = "--x\r\nContent-Disposition: form-data; name=\"import\"; filename=\"a.xls\"\r\n\r\n"
            let page = try await service.send(
                "POST",
                "/my/imports?lang=it",
                bytes: Data(body.utf8) + Data(old) + Data("\r\n--x--\r\n".utf8),
                nil,
                [
                    "Cookie": "__Host-doggofinder=\(token)", "Origin": "https://dogs.example.org",
                    "Content-Type": "multipart/form-data; boundary=\(boundary)", "Accept-Language": "it",
                ]
            )
            #expect(page.status == 400 && page.html.contains("senza password"))
        }
    }
}
