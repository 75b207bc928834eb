import Foundation
import TestSupport
import Testing

@Suite("Table of threats")
struct ThreatTableTests {
    private static let tests = Repository.root.appending(path: "Tests")

    @Test("Every test and every quoted title in the table exists")
    func references() throws {
        let url = Repository.root.appending(path: "Sources/doggofinder/Documentation.docc/Security.md")
        let table = try String(contentsOf: url, encoding: .utf8)
        let files = try FileManager.default.subpathsOfDirectory(atPath: Self.tests.path)
        let sources = files.filter { $0.hasSuffix(".swift") }
        let texts = try sources.map { try String(contentsOf: Self.tests.appending(path: $0), encoding: .utf8) }
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| threat") }
        #expect(rows.count > 40)
        for row in rows {
            let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(cells.count == 3 && !cells.contains(""), "\(row)")
            let shown = cells.last ?? ""
            for name in shown.matches(of: #/`([^`]+)`/#).map({ String($0.1) }) {
                let isThere = files.contains { $0 == name || $0 == name + ".swift" || $0.hasSuffix("/\(name).swift") }
                #expect(isThere, "\(name)")
            }
            for quote in shown.matches(of: #/"([^"]+)"/#).map({ String($0.1) }) {
                let words = quote.replacing("…", with: "")
                #expect(texts.contains { $0.contains(words) }, "\(quote)")
            }
        }
    }
}
