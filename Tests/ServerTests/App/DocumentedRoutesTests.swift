import Credentials
import Foundation
import Server
import ServerSupport
import TestSupport
import Testing

@Suite("Documented routes")
struct DocumentedRoutesTests {
    private static let catalogue = Repository.root.appending(path: "Sources/doggofinder/Documentation.docc")
    /// The articles whose tables list routes.
    private static let articles = ["HTTPAPI.md", "WebPages.md"]

    @Test("The articles list every route, and no route that does not exist")
    func routes() async throws {
        let text = try Self.articles.map { name in
            try String(contentsOf: Self.catalogue.appending(path: name), encoding: .utf8)
        }.joined(separator: "\n")
        let board = try await TestDatabase()
        let service = try await WebService(over: board, model: nil)
        let rows = text.split(separator: "\n").filter { $0.starts(with: #/\| `(GET|POST|PUT)/#) }
        let documented = rows.flatMap { row -> [String] in
            let cell = row.split(separator: "|").first.map(String.init) ?? ""
            var methods: [String] = []
            var found: [String] = []
            // In "`GET`, `POST /a`, `GET /b`", methods without a path belong to the next path.
            for code in cell.split(separator: "`") where code.contains(where: \.isUppercase) {
                let parts = code.split(separator: " ")
                methods.append(String(parts[0]))
                guard parts.count == 2 else { continue }
                found += methods.map { "\($0) \(parts[1])" }
                methods = []
            }
            return found
        }
        #expect(Set(documented) == Set(service.routes.filter { $0 != "GET /" }))
    }
}
