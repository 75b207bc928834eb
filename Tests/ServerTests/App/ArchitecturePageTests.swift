import Foundation
import TestSupport
import Testing

@Suite("Architecture page")
struct ArchitecturePageTests {
    private static let page = "Sources/doggofinder/Documentation.docc/Architecture.md"
    /// Targets whose folders are not in `Sources`.
    private static let targetsElsewhere: Set<String> = ["Geodata", "Migrations"]

    @Test("The table of targets names every folder of Sources and no other")
    func targets() throws {
        let folders = try Self.sourceFolders().filter { !$0.contains("/") }
        #expect(try Self.names(in: "Targets") == folders.union(Self.targetsElsewhere))
    }

    @Test("The tables of folders name every folder inside of targets and no other")
    func folders() throws {
        let folders = try Self.sourceFolders().filter { $0.contains("/") }
        #expect(folders.count > 60)
        #expect(try Self.names(in: "Folders") == folders)
    }

    /// The names in the first column of the tables of a section.
    private static func names(in section: String) throws -> Set<String> {
        let text = try String(contentsOf: Repository.root.appending(path: page), encoding: .utf8)
        let body = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix("\(section)\n") })
        let cells = body.matches(of: /(?m)^\| (`[^|]+`) \|/).map { $0.1 }
        return Set(cells.flatMap { $0.matches(of: /`([^`]+)`/).map { String($0.1) } })
    }

    /// The targets, their folders, and all folders of Swift files below, but no folders of C headers.
    private static func sourceFolders() throws -> Set<String> {
        let sources = Repository.root.appending(path: "Sources")
        let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        return Set(
            files.flatMap { file -> [String] in
                let folders = file.split(separator: "/").dropLast()
                let depth = file.hasSuffix(".swift") ? folders.count : min(folders.count, 2)
                return (0..<depth).map { folders.prefix($0 + 1).joined(separator: "/") }
            }
        ).filter { !$0.hasSuffix("/include") }
    }
}
