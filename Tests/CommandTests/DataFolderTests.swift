import Foundation
import TestSupport
import Testing

@Suite("Data folders")
struct DataFolderTests {
    private static let id = "0f8fad5b-d9cb-469f-a165-70867728950e"

    @Test(
        "A command on a folder without data fails and creates nothing",
        arguments: [
            ["listings", "list"], ["listings", "show", id], ["listings", "remove", id], ["listings", "export"],
            ["listings", "import", "-", "--owner", "anna@example.org"], ["accounts", "list"],
            ["accounts", "show", id], ["accounts", "make-admin", id], ["moderation", "queue"],
            ["moderation", "audit"], ["moderation", "hide", id], ["pois", "count"], ["gazetteer", "sources"],
            ["gazetteer", "remove", "x"], ["optimize"], ["check"], ["backup", "/tmp/never-made"],
        ]
    )
    func missing(command: [String]) throws {
        let program = try Program()
        let data = program.folder.url.appending(path: "typo")
        let outcome = try program.run(command, data: data)
        #expect(outcome.status == 1)
        #expect(outcome.errors == "Error: data: there is no DoggoFinder data in \(data.path)\n")
        #expect(!FileManager.default.fileExists(atPath: data.path))
    }

    @Test("An account, places and points of interest can begin a new data folder")
    func new() throws {
        let program = try Program()
        let codes = try program.write("DE\t80331\tM\t\t\t\t\t\t\t48.1\t11.5\t4\n", "codes.txt")
        let points = try program.write(#"{"type":"FeatureCollection","features":[]}"#, "points.geojson")
        let commands = [
            ["accounts", "add", "anna@example.org"], ["gazetteer", "import", codes], ["pois", "import", points],
            ["migrate"], ["demo", "--count", "1"],
        ]
        for (number, command) in commands.enumerated() {
            let data = program.folder.url.appending(path: "new-\(number)")
            #expect(try program.run(command, data: data).status == 0, "\(command)")
            #expect(try program.run(["check"], data: data).status == 0, "\(command)")
        }
    }

    @Test("A backup into the data folder, or into a folder below it, is refused")
    func backupInside() throws {
        let program = try Program()
        let data = program.folder.url.appending(path: "data")
        #expect(try program.run(["migrate"], data: data).status == 0)
        let link = program.folder.url.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: data)
        let before = Set(data.entries.map(\.lastPathComponent))
        for folder in [data.path, data.path + "/backups/daily", data.path + "/../data/x", link.path + "/x"] {
            let refused = try program.run(["backup", folder], data: data)
            #expect(refused.status == 1 && refused.errors.contains("is in the data folder"), "\(folder)")
        }
        #expect(Set(data.entries.map(\.lastPathComponent)) == before)
        #expect(try program.run(["backup", data.path + "-backups"], data: data).status == 0)
    }
}
