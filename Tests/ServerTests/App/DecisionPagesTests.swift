import Foundation
import TestSupport
import Testing

@Suite("Pages of decisions")
struct DecisionPagesTests {
    private static let catalogue = Repository.root.appending(path: "Sources/doggofinder/Documentation.docc")

    @Test("The index names the page of every decision, and no other")
    func index() throws {
        var pages: [String: Set<String>] = [:]
        let folder = Self.catalogue.appending(path: "Decisions")
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            for number in Self.numbers(try Self.text(folder.appending(path: file))) {
                pages[number, default: []].insert(String(file.dropLast(".md".count)))
            }
        }
        let index = try Self.text(Self.catalogue.appending(path: "Decisions.md"))
        let rows = index.matches(of: /(?m)^- (\d{4}): (.+)$/).map { row in
            (String(row.1), Set(row.2.matches(of: /<doc:(\w+)>/).map { String($0.1) }))
        }
        #expect(pages.count > 150)
        #expect(Dictionary(rows) { $0.union($1) } == pages)
    }

    @Test(
        "Every decision that sources, tests and documents refer to exists",
        arguments: ["Migrations", "Sources", "Tests"])
    func references(_ folder: String) throws {
        let pages = Self.catalogue.appending(path: "Decisions")
        let known = try FileManager.default.contentsOfDirectory(atPath: pages.path)
            .reduce(into: Set<String>()) { $0.formUnion(Self.numbers(try Self.text(pages.appending(path: $1)))) }
        let root = Repository.root.appending(path: folder)
        for file in try FileManager.default.subpathsOfDirectory(atPath: root.path)
        where ["css", "md", "py", "sql", "swift"].contains(URL(filePath: file).pathExtension) {
            let text = try Self.text(root.appending(path: file))
            for reference in text.matches(of: /[Dd]ecision (\d{4})/) {
                #expect(known.contains(String(reference.1)), "\(folder)/\(file) refers to decision \(reference.1)")
            }
        }
    }

    /// The numbers in the headings of a page: one or several, such as "## 0015, 0091: The write-ahead log is bounded".
    private static func numbers(_ page: String) -> Set<String> {
        let headings = page.matches(of: /(?m)^## (\d{4}(?:, \d{4})*):/)
        return Set(headings.flatMap { $0.1.split(separator: ", ").map(String.init) })
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }
}
