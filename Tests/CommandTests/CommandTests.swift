import CSV
import Domain
import Foundation
import TestSupport
import Testing

@Suite("Command line")
struct CommandTests {
    private static let csv = """
        id,status,species,name,breed,color,sex,lat,lon,city,date,note,phone
        A1,lost,dog,Argo,Beagle,"white, red",Neutered Male,40.77,14.79,,2026-01-02,"says ""hi"", -1",
        A2,found,bird,,,green,Unknown,,,Fisciano (SA),2026-01-03T10:00:00+01:00,=1+1,089 123456

        """

    private func withOwner() throws -> Program {
        let program = try Program()
        let password = try program.write("long enough\n", "password")
        #expect(try program.run("accounts", "add", "s@example.org", "--password-file", password).status == 0)
        return program
    }

    @Test("A CSV with other column names is imported, and a second import creates no duplicates")
    func importCSV() throws {
        let program = try withOwner()
        let file = try program.write(Self.csv, "in.csv")
        let first = try program.run("listings", "import", file, "--owner", "S@example.org")
        #expect(first.output == "2 created, 0 updated, 0 unchanged, 0 repeated, 0 skipped\n")
        let again = try program.run("listings", "import", "-", "--owner", "s@example.org", input: Self.csv)
        #expect(again.output == "0 created, 0 updated, 2 unchanged, 0 repeated, 0 skipped\n")
        let list = try program.run("listings", "list", "--json", "--status", "lost").output
        #expect(
            list.contains(#""reference":"A1""#) && list.contains(#""sex":"male""#)
                && list.contains(#""place":"Fisciano""#)
        )
    }

    @Test("A row with an unclear town is a mistake that names candidates, unless guesses are accepted")
    func importUnclearTowns() throws {
        let program = try withOwner()
        let file = try program.write("id,status,city\n1,lost,Paperopoli\n2,lost,Parma\n", "in.csv")
        let words = ["listings", "import", file, "--owner", "s@example.org", "--lang", "it"]
        let refused = try program.run(words, data: program.folder.url)
        #expect(refused.status != 0 && refused.errors.contains("line 2: place: did you mean"))
        #expect(refused.errors.contains("Paternopoli (AV)"))
        #expect(try program.run(words + ["--accept-guesses"], data: program.folder.url).output.hasPrefix("2 created"))
    }

    @Test("Exported files import as the same listings", arguments: ["csv", "geojson"])
    func roundTrip(format: String) throws {
        let program = try withOwner()
        let towns = ["Castro (LE)", "Penta, Fisciano (SA)", "Springfield, Illinois"]
            .enumerated()
            .map { "T\($0),lost,cat,,,,,,,\"\($1)\",2026-01-0\(4 + $0),,\n" }.joined()
        let file = try program.write(Self.csv + towns, "in.csv")
        #expect(try program.run("listings", "import", file, "--owner", "s@example.org").output.hasPrefix("5 created"))
        let export = try program.run("listings", "export", "--format", format).output
        #expect(export.contains("Argo"))
        let other = try withOwner()
        let copy = try other.write(export, "copy")
        #expect(try other.run("listings", "import", copy, "--owner", "s@example.org").output.hasPrefix("5 created"))
        let back = try other.run("listings", "export", "--format", format).output
        // A listing that is imported elsewhere gets a code of its own.
        func withoutOwn(_ text: String) -> String {
            text.replacing(/"(updated_at|expires_at|code)":"[^"]*"/, with: "")
        }
        #expect(withoutOwn(back) == withoutOwn(export))
    }

    @Test("Addresses of photos wait for the server, which the command says")
    func importPhotos() throws {
        let program = try withOwner()
        let rows =
            "reference,status,place,foto,box\nP-1,found,Salerno,https://example.org/a.jpg https://example.org/b.jpg,B 12\n"
        let file = try program.write(rows + "P-2,closed,Salerno,https://example.org/c.jpg,\n", "in.csv")
        let words = ["listings", "import", file, "--owner", "s@example.org", "--lang", "it"]
        for created in [2, 0] {
            let told = try program.run(words, data: program.folder.url).output
            #expect(
                told.hasPrefix("\(created) created,") && told.hasSuffix("\n2 photos to be fetched by the server\n"),
                "\(told)")
        }
        #expect(try program.run(words + ["--json"], data: program.folder.url).output.contains("\"photos\":2"))
    }

    @Test("Every imported field is exported")
    func everyField() throws {
        let fields = ListingField.allCases
        func cell(_ field: ListingField) -> String {
            switch field.sample {
            case .string(let text): text
            case .number(let number): "\(number)"
            case .bool(let flag): "\(flag)"
            case .null, .array, .object: ""
            }
        }
        let program = try withOwner()
        let header = fields.map(\.name).joined(separator: ",")
        let file = try program.write(header + "\n" + fields.map(cell).joined(separator: ",") + "\n", "in.csv")
        let made = try program.run("listings", "import", file, "--owner", "s@example.org")
        #expect(made.output == "1 created, 0 updated, 0 unchanged, 0 repeated, 0 skipped\n")
        var reader = try CSVReader(Data(try program.run("listings", "export", "--format", "csv").output.utf8))
        let row = try #require(try reader.next())
        for field in fields {
            // A phone number begins like a formula.
            #expect(row[field.name]?.trimmingPrefix("'") == cell(field)[...], "\(field.name)")
        }
    }

    @Test("One invalid row rejects the whole file unless skipping is requested")
    func allOrNothing() throws {
        let program = try withOwner()
        let file = try program.write(Self.csv + "A3,lost,dog,,,,,95,14,,,,\n", "in.csv")
        let refused = try program.run("listings", "import", file, "--owner", "s@example.org")
        #expect(refused.status != 0)
        #expect(refused.errors.contains("line 4: lat: expected degrees between -90 and 90"))
        #expect(try program.run("listings", "list", "--json").output.isEmpty)
        let partly = try program.run("listings", "import", file, "--owner", "s@example.org", "--skip-invalid")
        #expect(partly.output == "2 created, 0 updated, 0 unchanged, 0 repeated, 1 skipped\n")
    }

    @Test("Listings are shown, hidden and removed by id")
    func moderation() throws {
        let program = try withOwner()
        let file = try program.write(Self.csv, "in.csv")
        _ = try program.run("listings", "import", file, "--owner", "s@example.org")
        let line = try #require(try program.run("listings", "list", "--json").output.split(separator: "\n").first)
        let id = String(try #require(line.firstMatch(of: /"id":"([^"]*)"/)).1)
        #expect(try program.run("moderation", "hide", id, "--reason", "spam").output == "hidden\n")
        #expect(try program.run("listings", "show", id).output.contains(#""hidden":true,"hidden_reason":"spam""#))
        #expect(try program.run("moderation", "hide", id).status != 0)
        #expect(try program.run("moderation", "restore", id).output == "restored\n")
        #expect(try program.run("listings", "remove", id).status == 0)
        #expect(try program.run("listings", "show", id).status != 0)
        #expect(try program.run("check").status == 0)
    }

    @Test("Accounts are disabled, made admin and given a new password")
    func accounts() throws {
        let program = try withOwner()
        #expect(try program.run("moderation", "ban", "s@example.org", "--until", "2000-01-01").status != 0)
        #expect(try program.run("moderation", "ban", "s@example.org", "--reason", "spam").output == "banned\n")
        let shown = try program.run("accounts", "show", "s@example.org", "--json").output
        #expect(shown.contains(#""disabled":true"#) && !shown.contains("argon2"))
        #expect(try program.run("moderation", "unban", "s@example.org").output == "unbanned\n")
        #expect(try program.run("accounts", "make-admin", "s@example.org").output == "admin\n")
        #expect(try program.run("moderation", "ban", "s@example.org").status != 0)
        #expect(try program.run("accounts", "show", "s@example.org", "--json").output.contains(#""role":"admin""#))
        #expect(try program.run("accounts", "reset-password", "s@example.org").output.count == 44)
        #expect(try program.run("accounts", "show", "nobody@example.org").status != 0)
        #expect(try program.run("accounts", "add", "S@EXAMPLE.org").status != 0)
        let common = try program.write("sunshine\n", "common")
        for arguments in [["add", "b@example.org"], ["reset-password", "s@example.org"]] {
            let refused = try program.run(
                ["accounts"] + arguments + ["--password-file", common],
                data: program.folder.url
            )
            #expect(refused.status != 0 && refused.errors.contains("password: is one that many people use"))
        }
    }

    @Test("Each point on standard input gives one output line, in order")
    func reverseLines() throws {
        let program = try Program()
        let answers = try program.run("gazetteer", "reverse", "-", input: "14.79,40.77\n-0.12,51.5\n").output
        let lines = answers.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.first?.contains(#""comune_code":"D615""#) == true)
        #expect(lines.last?.contains(#""country_code":"GB""#) == true)
        #expect(try program.run("gazetteer", "reverse", "-", input: "1;2\n").errors.contains("line 1"))
    }

    @Test("Boundaries are imported, listed, used at once and removed")
    func boundaries() throws {
        let program = try Program()
        let file = try program.write(
            """
            {"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"NAME": "Somewhere"}, "geometry":
            {"type": "Polygon", "coordinates": [[[14, 40], [15, 40], [15, 41], [14, 41], [14, 40]]]}}]}
            """,
            "areas.geojson"
        )
        #expect(try program.run("gazetteer", "import", file).errors.contains("the file has NAME"))
        let imported = try program.run("gazetteer", "import", file, "--map", "comune=NAME", "--json")
        #expect(
            imported.output
                == "{\"source\":\"areas.geojson\",\"kind\":\"boundaries\",\"level\":\"comune\",\"places\":1,\"skipped\":0}\n"
        )
        #expect(imported.errors.isEmpty)
        #expect(try program.run("gazetteer", "sources").output.contains("areas.geojson  boundaries  1"))
        #expect(try program.run("gazetteer", "reverse", "14.79", "40.77").output.contains("\"comune\":\"Somewhere\""))
        #expect(try program.run("gazetteer", "search", "Somewhere").output.contains("Somewhere"))
        #expect(try program.run("gazetteer", "remove", "areas.geojson").status == 0)
        #expect(try program.run("gazetteer", "remove", "areas.geojson").status != 0)
        #expect(try program.run("gazetteer", "reverse", "14.79", "40.77").output.contains("\"comune\":\"Fisciano\""))
    }

    @Test("Imports and removals wait for other processes and continue if those are killed")
    func importsTakeTurns() throws {
        let program = try Program()
        let small = try program.write("DE\t80331\tM\t\t\t\t\t\t\t48.1\t11.5\t4\n", "small.txt")
        #expect(try program.run("gazetteer", "import", small).status == 0)
        let holder = try program.lock()
        let others = try [["import", small, "--source", "second"], ["remove", "small.txt"]].map { arguments in
            let process = Program.process(["gazetteer"] + arguments + ["--data", program.folder.url.path])
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            return (process, errors.fileHandleForReading)
        }
        for (_, errors) in others {
            let told = String(decoding: errors.availableData, as: UTF8.self)
            #expect(told == "another import or removal is going on: waiting for it to end\n")
        }
        kill(holder.processIdentifier, SIGKILL)
        for (process, errors) in others {
            #expect(try errors.readToEnd() ?? Data() == Data())
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        let sources = try program.run("gazetteer", "sources").output
        #expect(sources.contains("second") && !sources.contains(".txt"))
    }

    @Test("Unusable files and options give an error message")
    func unusableFiles() throws {
        let program = try Program()
        let table = try program.write("DE\t80331\tM\t\t\t\t\t\t\t48.1\t11.5\t4\n", "codes.txt")
        for option in ["--layer", "--srid", "--encoding"] {
            let refused = try program.run("gazetteer", "import", table, option, "25832")
            #expect(refused.status != 0 && refused.errors.contains("\(option.dropFirst(2)): is for "))
        }
        let temporaryFile = try program.run("gazetteer", "import", table, "--source", "")
        #expect(temporaryFile.status != 0 && temporaryFile.errors.contains("source: expected"))
        #expect(try program.run("gazetteer", "import", table).status == 0)
    }

    @Test(
        "Invalid settings are rejected at start",
        arguments: [
            (["--port", "99999"], [:]), (["--base-url", "ftp://x"], [:]), (["--log-level", "loud"], [:]),
            ([], ["DOGGOFINDER_PORT": "eighty"]), (["--geodata", "/nowhere"], [:]),
            (["--rate-limit", "much"], [:]), (["--rate-limit", "1e300"], [:]), ([], ["DOGGOFINDER_RATE_LIMIT": "-1"]),
            (["--trusted-proxies", "example.org"], [:]), (["--metrics-token-file", "/nowhere"], [:]),
            (["--metrics-token-file", "/dev/null"], [:]), (["--mail", "smtp://127.0.0.1"], [:]),
            (["--mail", "smtp://127.0.0.1", "--mail-from", "dogs@example.org"], [:]),
            (["--mail", "nonsense", "--mail-from", "dogs@example.org", "--base-url", "https://dogs.example.org"], [:]),
            (["--mail", "file:/tmp", "--mail-from", "a@b\nBcc: c@d"], [:]),
            (["--mail", "file:/dev/null/x", "--mail-from", "a@b"], [:]),
        ]
    )
    func settings(arguments: [String], environment: [String: String]) throws {
        let program = try Program()
        let outcome = try program.run(["serve"] + arguments, data: program.folder.url, environment: environment)
        #expect(outcome.status != 0 && !outcome.errors.isEmpty)
    }

    @Test("The error for an invalid environment variable contains its name")
    func settingName() throws {
        let outcome = try Program().run("serve", environment: ["DOGGOFINDER_HIDE_AFTER": "abc"])
        #expect(outcome.status != 0 && outcome.errors.contains("DOGGOFINDER_HIDE_AFTER: expected a number, got 'abc'"))
    }

    @Test(
        "List commands reject limits out of range",
        arguments: [
            ["moderation", "queue"], ["moderation", "audit"], ["listings", "list"], ["accounts", "list"],
            ["gazetteer", "search", "Fisciano"],
        ]
    )
    func listLimits(command: [String]) throws {
        let program = try withOwner()
        for limit in ["-1", "0", "100001", String(Int.max)] {
            let refused = try program.run(command + ["--limit=\(limit)"], data: program.folder.url)
            #expect(refused.status == 64 && refused.errors.contains("limit: expected a number between 1 and 100000"))
        }
        #expect(try program.run(command + ["--limit", "100000"], data: program.folder.url).status == 0)
    }

    @Test(
        "Unwritable output gives an error message and a failure status",
        arguments: [
            ["check"], ["check", "--json"], ["listings", "list"], ["listings", "export"],
            ["accounts", "list", "--json"],
            ["gazetteer", "search", "Fisciano"], ["gazetteer", "search", "Fisciano", "--json"],
        ]
    )
    func unwritableOutput(command: [String]) throws {
        let program = try withOwner()
        let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
        let unwritten = try program.write(command, to: full)
        #expect(unwritten.status == 1 && unwritten.errors == "Error: standard output: No space left on device\n")
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let unread = try program.write(command, to: pipe.fileHandleForWriting)
        #expect(unread.status != 0 && unread.errors.isEmpty)
    }

    @Test("Commands work beside a running server, a second server and SIGHUP do not, and SIGTERM ends it with status 0")
    func serveAndStop() async throws {
        let program = try withOwner()
        let server = Program.process([
            "serve", "--port", "0", "--log-level", "error", "--data", program.folder.url.path,
        ])
        let output = Pipe()
        server.standardOutput = output
        try server.run()
        defer { if server.isRunning { server.terminate() } }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.hasPrefix("DoggoFinder answers at http://127.0.0.1:"))
        kill(server.processIdentifier, SIGHUP)
        let second = try program.run("serve", "--port", "0")
        #expect(second.status != 0 && second.errors.contains("another server runs on \(program.folder.url.path)"))
        let file = try program.write(Self.csv, "in.csv")
        #expect(try program.run("listings", "import", file, "--owner", "s@example.org").status == 0)
        let backups = try TemporaryFolder()
        #expect(try program.run("backup", backups.url.path).status == 0)
        #expect(backups.url.entries.count == 1)
        let told = try String(contentsOf: program.folder.url.appending(path: "last-backup"), encoding: .utf8)
        #expect(Timestamp(parsing: told) != nil)
        server.terminate()
        server.waitUntilExit()
        #expect(server.terminationStatus == 0 && server.terminationReason == .exit)
    }

    @Test("An IPv6 address is in brackets in URLs")
    func ipv6() throws {
        let program = try Program()
        let server = Program.process([
            "serve", "--host", "::1", "--port", "0", "--log-level", "error", "--data", program.folder.url.path,
        ])
        let output = Pipe()
        server.standardOutput = output
        try server.run()
        defer {
            server.terminate()
            server.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        #expect(line.hasPrefix("DoggoFinder answers at http://[::1]:"))
    }

    @Test(
        "The Long Beach shelter's records are imported by the ordinary command",
        .enabled(if: SharedData.isAvailable, Comment(rawValue: SharedData.absence))
    )
    func longBeach() throws {
        let program = try withOwner()
        let unpacked = program.folder.url.appending(path: "all.csv")
        try Data().write(to: unpacked)
        let xz = Process()
        xz.executableURL = URL(filePath: "/usr/bin/env")
        xz.arguments = ["xz", "-dc", SharedData.url("geo/animals/lost_found_unified.csv.xz").path]
        xz.standardOutput = try FileHandle(forWritingTo: unpacked)
        try xz.run()
        xz.waitUntilExit()
        let outcome = try program.run(
            "listings",
            "import",
            unpacked.path,
            "--owner",
            "s@example.org",
            "--where",
            "source=longbeach",
            "--set",
            "status=found",
            "--skip-invalid"
        )
        // The file has 29,787 records of 28,754 animals: some animals were admitted more than once, under the same
        // number. Two of the records have points far from Long Beach: in Morgan Hill and in Long Branch, New Jersey.
        #expect(outcome.output == "28754 created, 0 updated, 0 unchanged, 1031 repeated, 2 skipped\n")
        #expect(outcome.errors.contains("Long Branch"))
    }
}

extension Program {
    /// Runs a command with its standard output connected to the handle.
    fileprivate func write(_ command: [String], to output: FileHandle) throws -> (status: Int32, errors: String) {
        let process = Self.process(command + ["--data", folder.url.path])
        let errors = Pipe()
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let told = try errors.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: told, as: UTF8.self))
    }

    /// Starts a process that holds the lock for imports and removals until it is killed.
    fileprivate func lock() throws -> Process {
        let url = folder.url.appending(path: "gazetteer.lock")
        let holder = Process()
        holder.executableURL = URL(filePath: "/usr/bin/env")
        holder.arguments = ["flock", "--no-fork", url.path, "sleep", "600"]
        try holder.run()
        let file = try FileHandle(forReadingFrom: url)
        while holder.isRunning, flock(file.fileDescriptor, LOCK_EX | LOCK_NB) == 0 {
            flock(file.fileDescriptor, LOCK_UN)
            usleep(10_000)
        }
        return holder
    }
}
