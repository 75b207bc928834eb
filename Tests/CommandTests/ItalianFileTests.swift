import Foundation
import TestSupport
import Testing

@Suite("Files from Italy")
struct ItalianFileTests {
    private static func program() throws -> Program {
        let program = try Program()
        #expect(try program.run("accounts", "add", "s@example.org").status == 0)
        return program
    }

    private static func `import`(_ program: Program, _ file: String) throws -> Program.Outcome {
        let words = ["listings", "import", file, "--owner", "s@example.org", "--lang", "it"]
        return try program.run(words, data: program.folder.url, environment: ["TZ": "America/New_York"])
    }

    @Test(
        "The example of the documentation is imported in each encoding",
        arguments: [String.Encoding.utf8, .windowsCP1252, .utf16]
    )
    func example(encoding: String.Encoding) throws {
        let page = Repository.root.appending(
            path: "Sources/doggofinder/Documentation.docc/Administration/ImportExport.md"
        )
        let text = try String(contentsOf: page, encoding: .utf8)
        let example = String(try #require(text.firstMatch(of: /```csv\n([^`]*)```/)).1)
        let program = try Self.program()
        let outcome = try Self.import(program, program.write(example, "in.csv", encoding))
        #expect(
            outcome.output == "3 created, 0 updated, 0 unchanged, 0 repeated, 0 skipped\n" && outcome.errors.isEmpty
        )
        let listings = try program.run("listings", "list", "--json").output.split(separator: "\n")
        func listing(_ reference: String) throws -> Substring {
            try #require(listings.first { $0.contains(#""reference":"\#(reference)""#) })
        }
        let lost = try listing("12/2026")
        for part in [
            #""status":"lost""#, #""species":"dog""#, #""name":"Birba""#, #""sex":"female""#, #""size":"small""#,
            // By the clocks of Fisciano, where summer time had not ended yet.
            #""place":"Fisciano""#, #""last_seen_at":"2026-10-20T16:30:00.000Z""#, #""breed_key":"mixed""#,
        ] { #expect(lost.contains(part), "\(part)") }
        let found = try listing("13/2026")
        for part in [
            #""status":"found""#, #""sex":"male""#, #""size":"medium""#, #""place":"Castro""#, #""province_code":"LE""#,
            #""last_seen_at":"2026-11-03T10:48:00.000Z","last_seen_precision":"day""#, "Zoppica; è timido",
        ] { #expect(found.contains(part), "\(part)") }
        let sighted = try listing("14/2026")
        for part in [#""status":"sighted""#, #""species":"cat""#, #""place":"Forlì""#, #""last_seen_at":"2026-11-05T"#]
        {
            #expect(sighted.contains(part), "\(part)")
        }
    }

    @Test("A date with the month first is an error with its line", arguments: ["11/20/2026", "31/02/2026", "1/13/26"])
    func monthFirst(date: String) throws {
        let program = try Self.program()
        let outcome = try Self.import(program, program.write("stato;città;data\nsmarrito;Parma;\(date)\n", "in.csv"))
        #expect(outcome.status != 0)
        #expect(
            outcome.errors.contains(
                "line 2: last_seen_at: expected day, month and year, like 20/11/2026 or 20/11/2026 15:30, got '\(date)'"
            )
        )
    }

    @Test("Coordinates may have a decimal comma, and answers may be yes or no")
    func values() throws {
        let program = try Self.program()
        let file = try program.write(
            "stato;latitudine;longitudine;telefono;contact_phone_public\nTROVATA;40,77;14,79;089 123456;Sì\n",
            "in.csv"
        )
        #expect(try Self.import(program, file).output.hasPrefix("1 created"))
        let listing = try program.run("listings", "list", "--json").output
        #expect(listing.contains("[14.79,40.77]") && listing.contains(#""contact_phone_public":true"#))
    }
}
