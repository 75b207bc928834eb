import Foundation
import TestSupport
import Testing

@Suite("Progress of commands")
struct ProgressTests {
    private struct Line: Decodable {
        let step: String
        let done: Int?
        let total: Int?
        let fraction: Double?
        let seconds: Double
        let finished: Bool
    }

    private static func lines(_ errors: String) throws -> [Line] {
        try errors.split(separator: "\n").map { line in
            try #require(try? JSONDecoder().decode(Line.self, from: Data(line.utf8)), "\(line)")
        }
    }

    @Test("Progress is on standard error, and only where somebody asks for it or sees it")
    func formats() throws {
        let program = try Program()
        let quiet = try program.run("demo", "--count", "10")
        #expect(quiet.status == 0 && quiet.errors.isEmpty)
        let json = try program.run("demo", "--count", "10", "--seed", "2", "--progress", "json")
        let lines = try Self.lines(json.errors)
        for step in ["inventing listings", "writing listings", "drawing pictures"] {
            let own = lines.filter { $0.step == step }
            // The beginning and the end of each step are reported, however short it is.
            #expect(own.first?.finished == false && own.last?.finished == true, "\(step)")
        }
        #expect(lines.last { $0.step == "writing listings" }?.done == 10)
        #expect(json.output.hasPrefix("10 listings added\n"))
        let plain = try program.run(
            "demo",
            "--count",
            "10",
            "--seed",
            "3",
            environment: ["DOGGOFINDER_PROGRESS": "plain"]
        )
        #expect(plain.errors.contains(/(?m)^writing listings: 10 of 10, 100 %, .*done in \d+ s$/), "\(plain.errors)")
        #expect(try program.run("demo", "--progress", "none", "--count", "1", "--seed", "4").errors.isEmpty)
        let refused = try program.run("demo", "--progress", "much")
        #expect(refused.errors.contains("progress: expected one of auto, plain, json, none, got 'much'"))
    }

    @Test("A terminal shows one line, which is empty at the end")
    func terminal() throws {
        let program = try Program()
        let shown = try program.onTerminal(["demo", "--count", "10"], answer: "")
        #expect(shown.status == 0)
        #expect(shown.output.contains("\r\u{1B}[Kinventing listings"))
        let lines = shown.output.replacing("\r\n", with: "\n").split(separator: "\n")
        #expect(lines.last { $0.contains("listings added") }?.hasSuffix("\r\u{1B}[K10 listings added") == true)
    }

    @Test("Every long command reports its steps")
    func commands() throws {
        let program = try Program()
        let data = program.folder.url.appending(path: "data")
        let listings = try program.write("id,status,place\nB1,lost,Roma\n", "listings.csv")
        let points = try program.write(#"{"type":"FeatureCollection","features":[]}"#, "points.geojson")
        let extract = try program.write(OSMCommandTests.village, "village.osm")
        let codes = try program.write("DE\t80331\tM\t\t\t\t\t\t\t48.1\t11.5\t4\n", "codes.txt")
        let match = "reference,status,species,lon,lat,last_seen_at\nR1,%,dog,14,40,2026-11-01T10:00:00Z\n"
        let lost = try program.write(match.replacing("%", with: "lost"), "lost.csv")
        let found = try program.write(match.replacing("%", with: "found"), "found.csv")
        let truth = try program.write("found_reference,lost_reference\nR1,R1\n", "truth.csv")
        let backups = program.folder.url.appending(path: "backups").path
        #expect(try program.run(["accounts", "add", "anna@example.org"], data: data).status == 0)
        for (command, steps) in [
            (["listings", "import", listings, "--owner", "anna@example.org"], ["reading rows", "writing listings"]),
            (
                ["pois", "import", points],
                ["reading elements of points.geojson", "looking up towns", "writing points of interest"]
            ),
            (
                ["osm", "import", extract],
                [
                    "reading elements of village.osm", "looking up towns", "reading the map",
                    "looking up towns of streets", "writing points of interest",
                ]
            ), (["gazetteer", "import", codes], ["reading codes.txt", "writing places of codes.txt"]),
            (["check"], ["checking the database", "checking the files of photos"]),
            (
                ["backup", backups],
                ["copying the database", "copying photos", "checking the copy of the database", "checking photos"]
            ), (["optimize"], ["arranging the indexes"]),
            (["matches", "count"], ["reading pairs", "comparing pairs"]),
            (
                ["matches", "evaluate", lost, found, truth],
                ["reading lost animals", "reading found animals", "comparing found animals"]
            ),
        ] {
            let outcome = try program.run(command + ["--progress", "json"], data: data)
            #expect(outcome.status == 0, "\(command) \(outcome.errors)")
            let lines = try Self.lines(outcome.errors)
            #expect(lines.filter(\.finished).map(\.step) == steps, "\(command)")
        }
        let new = program.folder.url.appending(path: "new")
        let restored = try program.run(["restore", backups, "--progress", "json"], data: new)
        #expect(try Self.lines(restored.errors).filter(\.finished).map(\.step).first == "copying the database")
    }
}
