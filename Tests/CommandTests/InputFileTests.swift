import Foundation
import TestSupport
import Testing

@Suite("Files that commands read")
struct InputFileTests {
    private static let commands = [
        ["listings", "import", "FILE", "--owner", "anna@example.org"], ["pois", "import", "FILE"],
        ["gazetteer", "import", "FILE"], ["gazetteer", "evaluate", "FILE"],
        ["accounts", "add", "anna@example.org", "--password-file", "FILE"],
        ["accounts", "passwords", "import", "FILE"],
        ["serve", "--port", "0", "--metrics-token-file", "FILE"],
        ["serve", "--port", "0", "--mapillary-token-file", "FILE"],
        [
            "serve", "--port", "0", "--base-url", "http://localhost", "--mail", "smtp://localhost",
            "--mail-from", "a@example.org", "--mail-password-file", "FILE",
        ],
    ]

    @Test("A missing file and a folder are refused with a plain reason", arguments: commands)
    func missing(command: [String]) throws {
        let program = try Program()
        #expect(try program.run("accounts", "add", "anna@example.org").status == 0)
        let folder = program.folder.url.path
        for (file, reason) in [(folder + "/typo.csv", "no such file"), (folder, "it is a folder, expected a file")] {
            let outcome = try program.run(command.map { $0 == "FILE" ? file : $0 }, data: program.folder.url)
            #expect(outcome.status != 0)
            let line = outcome.errors.split(separator: "\n").last { $0.hasPrefix("Error: ") }
            #expect(line == "Error: cannot read \(file): \(reason)")
        }
    }

    @Test("A file without permission is refused with the reason", .enabled(if: geteuid() != 0, "root reads all files"))
    func unreadable() throws {
        let program = try Program()
        let file = try program.write("id,status\n", "secret.csv")
        try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: file)
        let outcome = try program.run("pois", "import", file)
        #expect(outcome.errors == "Error: cannot read \(file): Permission denied\n")
    }

    @Test("A file that fails while it is read is refused with the reason", arguments: commands)
    func failing(command: [String]) throws {
        let program = try Program()
        let file = "/proc/self/mem"
        let outcome = try program.run(command.map { $0 == "FILE" ? file : $0 }, data: program.folder.url)
        #expect(outcome.status != 0 && !outcome.errors.contains("Domain="), "\(outcome.errors)")
    }

    @Test("Photos that cannot be read are failures with a reason")
    func photos() throws {
        let program = try Program()
        let file = program.folder.url.appending(path: "typo.jpg").path
        let outcome = try program.run("classify", file)
        #expect(outcome.status == 1 && outcome.output == "\(file): cannot read \(file): no such file\n")
    }

    @Test("A backup folder that cannot be made is refused with the reason")
    func backupFolder() throws {
        let program = try Program()
        let data = program.folder.url.appending(path: "data")
        #expect(try program.run(["migrate"], data: data).status == 0)
        let file = try program.write("", "file")
        let outcome = try program.run(["backup", file], data: data)
        #expect(outcome.status == 1 && outcome.errors.contains("\(file) cannot be used as a folder: "))
        #expect(!outcome.errors.contains("Domain"))
    }

    @Test("Messages count one thing in the singular")
    func singular() throws {
        let program = try Program()
        #expect(try program.run("accounts", "add", "anna@example.org").status == 0)
        let rows = try program.write("status,lat,lon\nlost,95,14\n", "in.csv")
        let refused = try program.run("listings", "import", rows, "--owner", "anna@example.org")
        #expect(refused.errors.contains("1 row with mistakes: nothing was imported"))
        #expect(try program.run("demo", "--count", "1").output.hasPrefix("1 listing added\n"))
        let area = try program.write(
            """
            {"type": "FeatureCollection", "features": [
            {"type": "Feature", "properties": {"NAME": "A"}, "geometry": {"type": "Point", "coordinates": [14, 40]}},
            {"type": "Feature", "properties": {"NAME": "B"}, "geometry":
            {"type": "Polygon", "coordinates": [[[14, 40], [15, 40], [15, 41], [14, 41], [14, 40]]]}}]}
            """,
            "areas.geojson"
        )
        let imported = try program.run("gazetteer", "import", area, "--map", "comune=NAME")
        #expect(imported.output == "areas.geojson: 1 place (comune)\n")
        #expect(imported.errors.contains("1 feature without an area\n"))
    }
}
