import Foundation
import TestSupport
import Testing

@Suite("Commands of operators")
struct OperatorTests {
    private static let csv = """
        id,status,name,place,description
        A1,lost,Argo,Fisciano,Collare rosso
        A2,found,,Parma,Trovato al parco
        A3,closed,Birba,Parma,Collare blu

        """

    private static func program() throws -> Program {
        let program = try Program()
        for (owner, csv) in [("anna@example.org", csv), ("shelter@example.org", "id,status,place\nB1,lost,Roma\n")] {
            #expect(try program.run("accounts", "add", owner).status == 0)
            let file = try program.write(csv, "in.csv")
            let words = ["listings", "import", file, "--owner", owner, "--lang", "it"]
            #expect(try program.run(words, data: program.folder.url).status == 0)
        }
        return program
    }

    private static func references(_ program: Program, _ options: String...) throws -> Set<String> {
        let found = try program.run(["listings", "list", "--json"] + options, data: program.folder.url)
        #expect(found.status == 0, "\(found.errors)")
        return Set(found.output.matches(of: /"reference":"([^"]*)"/).map { String($0.1) })
    }

    @Test("Listings are found by owner and by words")
    func find() throws {
        let program = try Self.program()
        #expect(try Self.references(program) == ["A1", "A2", "A3", "B1"])
        #expect(try Self.references(program, "--owner", "Anna@example.org") == ["A1", "A2", "A3"])
        #expect(try Self.references(program, "--words", "collare") == ["A1", "A3"])
        #expect(try Self.references(program, "--words", "COLLARE ros") == ["A1"])
        let both = ["--words", "collare", "--owner", "shelter@example.org"]
        #expect(try Self.references(program, both[0], both[1], both[2], both[3]).isEmpty)
        let export = try program.run("listings", "export", "--format", "csv", "--owner", "shelter@example.org")
        #expect(export.output.contains("B1") && !export.output.contains("A1"))
        #expect(try program.run("listings", "export", "--words", "collare").output.contains("Argo"))
        let unknown = try program.run("listings", "list", "--owner", "nobody@example.org")
        #expect(unknown.status == 1 && unknown.errors == "Error: no such account: nobody@example.org\n")
    }

    @Test("Fields of a listing are changed and cleared, and the audit log names them")
    func edit() throws {
        let program = try Self.program()
        let list = try program.run("listings", "list", "--json", "--words", "Argo").output
        let id = String(try #require(list.firstMatch(of: /"id":"([^"]*)"/)).1)
        let changes = ["status=tornato a casa", "name=", "description=A casa = bene", "place=Salerno (SA)"]
        let edited = try program.run(["listings", "edit", id] + changes, data: program.folder.url)
        #expect(edited.output == "changed\n" && edited.errors.isEmpty)
        let shown = try program.run("listings", "show", id).output
        for part in [
            #""status":"reunited""#, #""name":null"#, #""description":"A casa = bene""#, #""place":"Salerno""#,
            #""reference":"A1""#,
        ] { #expect(shown.contains(part), "\(part)") }
        let audit = try program.run("moderation", "audit", "--json", "--action", "listing.edit", "--subject", id).output
        #expect(audit.contains(#""note":"description, name, place, status""#) && audit.contains("command-line:"))
        let json = try program.run("listings", "edit", id, "sex=femmina", "--json").output
        #expect(json.contains(#""sex":"female""#) && json.contains(#""status":"reunited""#))
        for (change, message) in [
            ("colour", "expected FIELD=VALUE with a field of a listing, got 'colour'"),
            ("owner=x", "expected FIELD=VALUE with a field of a listing, got 'owner=x'"),
            ("status=", "status: expected one of"), ("last_seen_at=11/20/2026", "last_seen_at: expected day, month"),
            ("place=Paperopoli", "place: did you mean"),
        ] {
            let refused = try program.run("listings", "edit", id, change, "--lang", "it")
            #expect(refused.status == 1 && refused.errors.contains(message), "\(change)")
        }
        #expect(try program.run("listings", "show", id).output == json)
        #expect(try program.run("check").status == 0)
    }

    @Test("An account is deleted with its listings, and admin rights are taken back")
    func accounts() throws {
        let program = try Self.program()
        #expect(try program.run("accounts", "add", "admin@example.org", "--admin").status == 0)
        #expect(try program.run("accounts", "make-admin", "anna@example.org").output == "admin\n")
        #expect(try program.run("accounts", "make-admin", "anna@example.org", "--undo").output == "user\n")
        #expect(try program.run("accounts", "remove", "anna@example.org").output == "removed\n")
        #expect(try Self.references(program) == ["B1"])
        #expect(try program.run("accounts", "remove", "anna@example.org").status == 1)
        let audit = try program.run("moderation", "audit", "--json").output
        #expect(audit.contains(#""action":"account.remove""#) && audit.contains(#""note":"admin to user""#))
        #expect(try program.run("check").status == 0)
    }

    @Test("The last admin stays one and is not deleted, also with --yes, until there is another one")
    func lastAdmin() throws {
        let program = try Program()
        let (last, other) = ("admin@example.org", "anna@example.org")
        #expect(try program.run("accounts", "add", last, "--admin").status == 0)
        #expect(try program.run("accounts", "add", other).status == 0)
        for command in [["make-admin", last, "--undo"], ["remove", last], ["remove", last, "--yes"]] {
            let refused = try program.run(["accounts"] + command, data: program.folder.url)
            #expect(refused.status == 1 && refused.output.isEmpty)
            let message = "the only admin: make another one first, with doggofinder accounts make-admin EMAIL"
            #expect(refused.errors.contains(message), "\(refused.errors)")
        }
        #expect(try program.run("accounts", "make-admin", other, "--undo").output == "user\n")
        #expect(try program.run("accounts", "make-admin", other).output == "admin\n")
        #expect(try program.run("accounts", "remove", last).output == "removed\n")
        #expect(try program.run("accounts", "make-admin", other, "--undo").status == 1)
    }

    @Test("On a terminal, deleting needs an answer or --yes")
    func confirmation() throws {
        let program = try Self.program()
        #expect(try program.onTerminal(["accounts", "remove", "anna@example.org"], answer: "no").status == 1)
        #expect(try Self.references(program).count == 4)
        let asked = try program.onTerminal(["accounts", "remove", "anna@example.org"], answer: "yes")
        #expect(asked.status == 0 && asked.output.contains("Delete anna@example.org with all listings"))
        #expect(try Self.references(program) == ["B1"])
        let removed = try program.onTerminal(["accounts", "remove", "shelter@example.org", "--yes"], answer: "")
        #expect(removed.status == 0 && !removed.output.contains("Delete"))
    }
}

extension Program {
    /// Runs a command on a terminal, which util-linux's `script` makes.
    func onTerminal(_ command: [String], answer: String) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        let words = [Self.process([]).executableURL?.path ?? ""] + command + ["--data", folder.url.path]
        process.arguments = ["script", "-qec", words.map { "'\($0)'" }.joined(separator: " "), "/dev/null"]
        let (input, output) = (Pipe(), Pipe())
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data((answer + "\n").utf8))
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }
}
