import Foundation
import Storage
import TestSupport
import Testing

/// The configuration file, and the article that lists all settings.
@Suite("Configuration")
struct ConfigurationTests {
    private let program: Program

    init() throws {
        program = try Program()
    }

    private func serve(
        _ file: String,
        _ options: [String] = [],
        _ environment: [String: String] = [:]
    ) throws
        -> Program.Outcome
    {
        let file = try program.write(file, "doggofinder.conf")
        return try program.run(
            ["serve", "--config", file] + options,
            data: program.folder.url,
            environment: environment
        )
    }

    @Test("An option takes precedence over its variable, and a variable over the file")
    func precedence() throws {
        let file = "# Moderation\n\n  DOGGOFINDER_HIDE_AFTER =  abc  \n"
        #expect(try serve(file).errors.contains("Error: DOGGOFINDER_HIDE_AFTER: expected a number, got 'abc'"))
        let variable = ["DOGGOFINDER_HIDE_AFTER": "xyz"]
        #expect(try serve(file, [], variable).errors.contains("DOGGOFINDER_HIDE_AFTER: expected a number, got 'xyz'"))
        #expect(try serve(file, ["--hide-after", "0"], variable).errors.contains("hide-after: expected 1 or more"))
    }

    @Test("Every command reads the file, which an option or a variable names")
    func everyCommand() throws {
        let data = program.folder.url.appending(path: "from file")
        let file = try program.write(
            "DOGGOFINDER_DATA=\"\(data.path)\"\r\nDOGGOFINDER_SITE_NAME=# is no comment here\r\n",
            "some.conf"
        )
        for (arguments, environment) in [
            (["accounts", "add", "anna@example.org", "--config", file], [:]),
            (["accounts", "list"], ["DOGGOFINDER_CONFIG": file]),
        ] {
            let process = Program.process(arguments, environment: environment)
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            #expect(arguments[1] == "add" || text.contains("anna@example.org"))
        }
        #expect(FileManager.default.fileExists(atPath: data.appending(path: DatabaseFile.fileName).path))
    }

    @Test(
        "A mistake in the file is refused with its line and what is expected",
        arguments: [
            (
                "DOGGOFINDER_PORT=8080\nDOGGOFINDER_PROT=8081",
                "doggofinder.conf, line 2: there is no setting 'DOGGOFINDER_PROT', perhaps DOGGOFINDER_PORT is meant"
            ), ("base-url = x", "line 1: there is no setting 'base-url', perhaps DOGGOFINDER_BASE_URL is meant"),
            ("--port=1", "line 1: there is no setting '--port', perhaps DOGGOFINDER_PORT is meant"),
            ("DOGGOFINDER_ACCEPT_CLOCK=on", "line 1: there is no setting 'DOGGOFINDER_ACCEPT_CLOCK'"),
            ("=1", "there is no setting ''"),
            ("DOGGOFINDER_CONFIG=other.conf", "line 1: there is no setting 'DOGGOFINDER_CONFIG'"),
            ("ZZZZZZZZZZZZZZZZZZZZ=1", "line 1: there is no setting 'ZZZZZZZZZZZZZZZZZZZZ'\n"),
            ("\n\nDOGGOFINDER_PORT 8080", "line 3: expected NAME=value, got 'DOGGOFINDER_PORT 8080'"),
            (
                "DOGGOFINDER_PORT=1\n# port\nDOGGOFINDER_PORT=2",
                "line 3: DOGGOFINDER_PORT is set on line 1 already"
            ), ("DOGGOFINDER_PORT=eighty", "DOGGOFINDER_PORT: expected a number, got 'eighty'"),
            ("DOGGOFINDER_PORT=70000", "port: expected 0 to 65535"),
        ]
    )
    func mistakes(file: String, message: String) throws {
        let refused = try serve(file)
        #expect(refused.status != 0 && refused.errors.contains(message), "\(refused.errors)")
    }

    @Test("A file that cannot be read is refused with its name")
    func unreadable() throws {
        let missing = try program.run("migrate", "--config", "missing.conf")
        #expect(missing.status != 0)
        #expect(missing.errors.contains("config: cannot read missing.conf: no such file"))
        let latin = try program.write("DOGGOFINDER_SITE_NAME=Città", "latin.conf", .isoLatin1)
        let refused = try program.run("migrate", "--config", latin)
        #expect(refused.status != 0 && refused.errors.contains("config: expected a text in UTF-8"))
        #expect(try program.run("migrate", "--config", "none").status == 0)
    }

    @Test("The article lists exactly the options of the server, with their variables, and the program reads these")
    func article() throws {
        let help = try program.run("serve", "--help").output
        let options = Set(help.matches(of: /(?m)^ +--([a-z-]+)( <|$|  )/).map { String($0.1) })
            .subtracting(["version", "help"])
        let sources = Repository.root.appending(path: "Sources/doggofinder")
        let article = try String(
            contentsOf: sources.appending(path: "Documentation.docc/Administration/Configuration.md"),
            encoding: .utf8
        )
        let rows = article.matches(of: /(?m)^\| `--([a-z-]+)` \| (none|`([A-Z_]+)`) \| \S/)
        #expect(Set(rows.map { String($0.1) }) == options)
        let names = try FileManager.default.contentsOfDirectory(atPath: sources.path).filter { $0.hasSuffix(".swift") }
        let code = try names.map { try String(contentsOf: sources.appending(path: $0), encoding: .utf8) }.joined()
        for row in rows {
            guard let variable = row.3 else { continue }
            #expect(variable == "DOGGOFINDER_" + row.1.uppercased().replacing("-", with: "_"))
            #expect(code.contains("\"\(row.1)\""), "no source names the setting \(row.1)")
        }
    }
}
