import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite("Commands for passwords and second factors")
struct PasswordsTests {
    @Test("A list of breached passwords is installed, shown, replaced and removed, and its passwords are refused")
    func list() throws {
        let program = try Program()
        #expect(try program.run("accounts", "passwords").status != 0)
        #expect(try program.run("accounts", "add", "anna@example.org").status == 0)
        let none = try program.run("accounts", "passwords").output
        #expect(none == "none: only the 5000 most common passwords are refused\n")
        // The SHA-1 digest of "correct horse battery".
        let digests = "98DECC62ECE399A22ED30D490EF333BE7FDE7385:12\n\(Self.violaDigest)\n"
        let file = try program.write(digests, "list.txt")
        let imported = try program.run("accounts", "passwords", "import", file)
        #expect(imported.output.hasPrefix("2 passwords in ") && imported.status == 0)
        #expect(try program.run("accounts", "passwords").output.contains("2 passwords in "))
        let digest = try program.write("correct horse battery\n", "digest")
        #expect(try program.run("accounts", "add", "c@example.org", "--password-file", digest).status != 0)
        let password = try program.write("viola del pensiero\n", "password")
        for command in [["add", "b@example.org"], ["reset-password", "anna@example.org"]] {
            let refused = try program.run(
                ["accounts"] + command + ["--password-file", password],
                data: program.folder.url
            )
            #expect(refused.status != 0 && refused.errors.contains("password: is one that many people use"))
        }
        #expect(try program.run("accounts", "list", "--json").output.contains("b@example.org") == false)
        // From standard input, in place of the earlier list.
        let replaced = try program.run("accounts", "passwords", "import", "--plain", "-", input: "another one\n")
        #expect(replaced.output.hasPrefix("1 password in "))
        #expect(try program.run("accounts", "add", "b@example.org", "--password-file", password).status == 0)
        #expect(try program.run("accounts", "passwords", "import", "-", input: "\n\n").status != 0)
        let plain = try program.run("accounts", "passwords", "import", "-", input: digests + "viola del pensiero\n")
        #expect(plain.status != 0 && plain.errors.contains("line 3: expected an SHA-1 digest"))
        #expect(try program.run("accounts", "passwords").output.hasPrefix("1 password in "))
        #expect(try program.run("accounts", "passwords", "--remove").output == "removed\n")
        #expect(try program.run("accounts", "passwords", "--remove").status != 0)
    }

    /// The SHA-1 digest of "viola del pensiero".
    private static let violaDigest = "25c8454e3bb13a9b842570ecef51b68bef3f0301"

    @Test("A server that starts removes what a killed import left")
    func killedImport() throws {
        let program = try Program()
        #expect(try program.run("migrate").status == 0)
        let left = try ["part", "merged"].map { try program.write("half", "breached-passwords.bin.\($0)") }
        let server = try ServerProcess(program.folder, logLevel: "error")
        defer { server.stop() }
        for file in left { #expect(!FileManager.default.fileExists(atPath: file), "\(file)") }
    }

    @Test("A damaged list stops the server at its start, with what to do")
    func damaged() throws {
        let program = try Program()
        #expect(try program.run("migrate").status == 0)
        _ = try program.write("damaged", "breached-passwords.bin")
        let outcome = try program.run("serve", "--port", "0")
        #expect(outcome.status != 0 && outcome.errors.contains("import it again, or remove it"))
        #expect(try program.run("accounts", "passwords").errors.contains("import it again, or remove it"))
        #expect(try program.run("accounts", "passwords", "--remove").output == "removed\n")
        let wrong = try program.run("serve", "--port", "0", "--require-second-factor", "users")
        #expect(wrong.errors.contains("require-second-factor: expected none or admins, got 'users'"))
    }

    @Test("An operator sees and removes the second factor of a locked-out person, which the audit log records")
    func secondFactor() async throws {
        let program = try Program()
        #expect(try program.run("accounts", "add", "anna@example.org").status == 0)
        #expect(try program.run("accounts", "second-factor", "anna@example.org").output == "none\n")
        #expect(try program.run("accounts", "second-factor", "anna@example.org", "--remove").status != 0)
        try await Self.insertSecondFactor(in: program.folder)
        let shown = try program.run("accounts", "second-factor", "anna@example.org").output
        #expect(shown == "since 2026-05-01T12:00:00.000Z, 1 recovery code left\n")
        let account = try program.run("accounts", "show", "anna@example.org", "--json").output
        #expect(account.contains(#""second_factor":true"#))
        #expect(try program.run("accounts", "second-factor", "anna@example.org", "--remove").output == "removed\n")
        #expect(try program.run("accounts", "second-factor", "anna@example.org").output == "none\n")
        #expect(try program.run("moderation", "audit").output.contains("account.second_factor"))
        #expect(try program.run("check").status == 0)
    }

    /// Gives all accounts a second factor with a secret that no key decrypts.
    private static func insertSecondFactor(in folder: TemporaryFolder) async throws {
        let database = try DatabaseFile(directory: folder.url)
        try await database.write { db in
            let time = "2026-05-01T12:00:00.000Z"
            try db.execute("INSERT INTO second_factor SELECT id, zeroblob(48), ?1, ?1, 1 FROM account", [time])
            try db.execute("INSERT INTO recovery_code SELECT id, zeroblob(32), NULL FROM account")
        }
        try database.close()
    }

    @Test("A server whose key is not that of the secrets says so at its start")
    func otherKey() async throws {
        let program = try Program()
        #expect(try program.run("accounts", "add", "anna@example.org").status == 0)
        for isWarned in [false, true] {
            if isWarned { try await Self.insertSecondFactor(in: program.folder) }
            let log = Pipe()
            let server = try ServerProcess(program.folder, logLevel: "error", log: log)
            server.stop()
            try log.fileHandleForWriting.close()
            let text = String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(text.contains("bring the earlier file second-factor-key back") == isWarned, "\(text)")
        }
    }

    @Test("Backups contain the key of second factors, and restoring brings it back")
    func backup() throws {
        let program = try Program()
        #expect(try program.run("migrate").status == 0)
        let key = try program.write(String(repeating: "A", count: 43) + "\n", "second-factor-key")
        let folder = try TemporaryFolder()
        let backups = folder.url.appending(path: "backups").path
        #expect(try program.run("backup", backups).status == 0)
        let restored = folder.url.appending(path: "restored")
        #expect(try program.run(["restore", backups], data: restored).status == 0)
        let copy = restored.appending(path: "second-factor-key").path
        #expect(FileManager.default.contents(atPath: copy) == FileManager.default.contents(atPath: key))
    }
}
