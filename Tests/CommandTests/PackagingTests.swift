import Foundation
import Migrations
import TestSupport
import Testing

/// `make install-test` installs the package; these tests compare its files with the program and the documents.
@Suite("Files of the Debian package")
struct PackagingTests {
    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    @Test("The settings file names every variable that Configuration.md describes, except its own, and no other")
    func settings() throws {
        let settings = try Self.text("Sources/doggofinder/Packaging/doggofinder.conf")
        let page = try Self.text("Sources/doggofinder/Documentation.docc/Administration/Configuration.md")
        let named = Set(settings.matches(of: /(?m)^#?(DOGGOFINDER_[A-Z_]+)=/).map { String($0.1) })
        let documented = Set(page.matches(of: /(?m)^\| `--[^|]*\| `(DOGGOFINDER_[A-Z_]+)`/).map { String($0.1) })
        #expect(named.union(["DOGGOFINDER_CONFIG"]) == documented)
        #expect(documented.count > 30)
    }

    @Test("The program accepts the settings file, also with all its examples")
    func acceptedSettings() throws {
        let program = try Program()
        let settings = try Self.text("Sources/doggofinder/Packaging/doggofinder.conf")
        // There is no server at the example of an address.
        let all = settings.replacing(/(?m)^#(DOGGOFINDER_(?!DATABASE=))/) { "\($0.1)" }
        for (name, text) in [("shipped.conf", settings), ("all.conf", all)] {
            let file = try program.write(text, name)
            let outcome = try program.run("migrate", "--config", file)
            #expect(outcome.status == 0, "\(name): \(outcome.errors)")
        }
    }

    @Test("The package knows the newest schema: the migrations that build-deb.sh counts")
    func schema() throws {
        let script = try Self.text("Sources/doggofinder/Packaging/build-deb.sh")
        let command = try #require(script.firstMatch(of: /(?m)^ *schema=\$\((.+)\)$/)).output.1
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", String(command)]
        process.environment = ProcessInfo.processInfo.environment.merging(["repository": Repository.root.path]) { $1 }
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let count = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        #expect(count == "\(Migration.all.count)\n")
    }

    @Test("The table of bundled data names every resource of the package manifest")
    func bundledData() throws {
        let table = try Self.text("Sources/doggofinder/Packaging/bundled-data.tsv")
        let paths = table.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.prefix { $0 != "\t" } }
        for path in paths {
            #expect(
                FileManager.default.fileExists(atPath: Repository.root.appending(path: String(path)).path),
                "\(path)"
            )
        }
        let texts = try Self.text("Sources/doggofinder/Packaging/copyright.py")
        for row in table.split(separator: "\n") where !row.hasPrefix("#") {
            for licence in row.split(separator: "\t")[1].split(separator: " AND ") {
                #expect(texts.contains("\"\(licence)\":"), "\(licence) has no text in copyright.py")
            }
        }
        let manifest = try Self.text("Package.swift")
        let files = manifest.matches(of: /"([^"]+\.(?:bin|tsv|txt|onnx|pbf))"/)
        let resources = files.map { $0.1.split(separator: "/").last }
        let countries = Repository.root.appending(path: "geodata/countries").path
        for file in try FileManager.default.contentsOfDirectory(atPath: countries) {
            #expect(paths.contains("geodata/countries/\(file)"), "\(file) is missing in bundled-data.tsv")
        }
        // Files of the build that are no resources.
        let sources: Set<Substring> = ["exonyms.tsv", "former_comuni.tsv", "regions.tsv"]
        for resource in Set(resources.compactMap { $0 }).subtracting(sources) {
            #expect(paths.contains { $0.hasSuffix(resource) }, "\(resource) is missing in bundled-data.tsv")
        }
    }

    @Test("The changelog begins with the version of the program")
    func changelog() throws {
        let version = try Program().run("--version").output.trimmingCharacters(in: .whitespacesAndNewlines)
        let page = try Self.text("Sources/doggofinder/Documentation.docc/Changelog.md")
        let heading = try #require(page.firstMatch(of: /(?m)^## (\S+) \(\d{4}-\d\d-\d\d\)$/))
        #expect(String(heading.1) == version)
    }

    @Test("Whatever tests install with pip has a hash")
    func hashes() throws {
        let tests = Repository.root.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap {
            $0 as? URL
        }
        let scripts = try #require(files).filter { ["sh", "py"].contains($0.pathExtension) }
        let makefile = Repository.root.appending(path: "Makefile")
        var installations = 0
        for file in scripts + [makefile] {
            // A command may have several lines, as shell words or as a list of Python.
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /-m"?,? "?pip"?,? "?install/) {
                installations += 1
                #expect(text[match.range.upperBound...].prefix(300).contains("--require-hashes"), "\(file.path)")
            }
        }
        #expect(installations >= 2)
    }
}
