import Credentials
import Foundation
import Server
import ServerSupport
import TestSupport
import Testing

@Suite("The README")
struct ReadmeTests {
    private static let text = try? String(
        contentsOf: Repository.root.appending(path: "README.md"),
        encoding: .utf8
    )

    @Test("It names every route, and no route that is not there")
    func routes() async throws {
        let readme = try #require(Self.text)
        let board = try await Board()
        let service = try await WebService(over: board, model: nil)
        let rows = readme.split(separator: "\n").filter { $0.starts(with: #/\| `(GET|POST|PUT)/#) }
        let documented = rows.flatMap { row -> [String] in
            let cell = row.split(separator: "|").first.map(String.init) ?? ""
            var methods: [String] = []
            var found: [String] = []
            // "`GET`, `POST /a`, `GET /b`": methods without a path belong to the next one.
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
