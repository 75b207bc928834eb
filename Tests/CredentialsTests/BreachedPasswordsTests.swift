import Domain
import Foundation
import RandomSupport
import TestSupport
import Testing

@testable import Credentials

@Suite("Breached passwords")
struct BreachedPasswordsTests {
    private static func install(
        _ text: String,
        _ format: BreachedPasswordFormat = .plain,
        in folder: TemporaryFolder,
        maxPartLength: Int = 1 << 22
    ) throws -> (list: BreachedPasswords, count: Int) {
        let list = BreachedPasswords(folder: folder.url)
        let writer = try BreachedPasswordWriter(list, format, maxPartLength: maxPartLength)
        // A few bytes at a time, so that lines are divided.
        for start in stride(from: 0, to: text.utf8.count, by: 100) {
            try writer.add(Array(text.utf8.dropFirst(start).prefix(100)))
        }
        return (list, try writer.finish())
    }

    @Test("Digests are found, with counts and without, in any order and case of letters")
    func digests() throws {
        let folder = try TemporaryFolder()
        let lines = """
            b1b3773a05c0ed0176787a4f1574ff0075f7521e\r

            5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:9659365
            """
        let (list, count) = try Self.install(lines, .digests, in: folder)
        #expect(count == 2)
        #expect(try list.count() == 2)
        for password in ["password", "qwerty"] { #expect(try list.contains(password), "\(password)") }
        for password in ["Password", "passwore", ""] { #expect(try !list.contains(password), "\(password)") }
    }

    @Test("Plain passwords are found, also with accents typed in another way")
    func plain() throws {
        let folder = try TemporaryFolder()
        let (list, count) = try Self.install("perché no?\r\n\nplain words\n", in: folder)
        #expect(count == 2)
        for password in ["perché no?", "perche\u{301} no?", "plain words"] {
            #expect(try list.contains(password), "\(password)")
        }
        for password in ["plain words ", "perche no?", ""] { #expect(try !list.contains(password), "\(password)") }
    }

    private static let digest = "5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8"

    @Test(
        "A line that is no SHA-1 digest is refused by its number, and the earlier list stays",
        arguments: [
            String(digest.dropLast()), digest + "0", digest + ":", digest + ":1x", digest + " ",
            "G" + digest.dropFirst(), "password", "8846F7EAEE8FB117AD06BDD830B7586C:9659365", "\u{feff}" + digest,
            "PK\u{3}\u{4}\u{0}",
        ]
    )
    func refused(line: String) throws {
        let folder = try TemporaryFolder()
        let (list, _) = try Self.install("earlier", in: folder)
        let writer = try BreachedPasswordWriter(list, .digests)
        let error = #expect(throws: ServiceError.self) {
            try writer.add(Array("\(Self.digest):3\n\n\(line)\n".utf8))
        }
        #expect(error?.message.text.hasPrefix("line 3: expected an SHA-1 digest of 40 hexadecimal digits") == true)
        writer.discard()
        #expect(try list.contains("earlier"))
        #expect(try !list.contains("password"))
    }

    @Test("In a plain list, lines in another encoding are skipped and counted, and binary data is refused")
    func otherEncodings() throws {
        let folder = try TemporaryFolder()
        let writer = try BreachedPasswordWriter(BreachedPasswords(folder: folder.url), .plain)
        try writer.add(Array("first\n".utf8) + [0x70, 0xE9] + Array("\nthird".utf8))
        #expect(try writer.finish() == 2)
        #expect(writer.skippedCount == 1)
        let binary = try BreachedPasswordWriter(BreachedPasswords(folder: folder.url), .plain)
        let error = #expect(throws: ServiceError.self) { try binary.add([0x70, 0x0A, 0x70, 0, 0x0A]) }
        #expect(error?.message.text == "line 2: expected text, got a NUL byte")
        let long = #expect(throws: ServiceError.self) { try binary.add(Array(repeating: 0x70, count: 5000)) }
        #expect(long?.message.text.hasSuffix("expected at most 4096 bytes") == true)
        binary.discard()
    }

    @Test("Lists sorted in parts have each entry once, like those sorted at once", arguments: [1, 7, 100, 5000])
    func parts(length: Int) throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: UInt64(length))
        // Each password appears twice on average, so that parts share entries.
        let passwords = (0..<2000).map { _ in "password \(Int.random(in: 0..<1000, using: &random))" }
        let (list, count) = try Self.install(
            passwords.joined(separator: "\n"),
            in: folder,
            maxPartLength: length
        )
        #expect(count == Set(passwords).count)
        for password in Set(passwords) { #expect(try list.contains(password)) }
        for number in 1000..<2000 { #expect(try !list.contains("password \(number)")) }
        let entries = try Data(contentsOf: list.file).dropFirst(16)
        let expected = Set(passwords.map(BreachedPasswords.prefix)).sorted()
        let stored = stride(from: 0, to: entries.count, by: 8).map { start in
            entries.dropFirst(start).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        #expect(stored == expected)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [BreachedPasswords.fileName])
    }

    @Test("Without a list nothing is found; a part of a list is an error; removal ends it")
    func damaged() throws {
        let folder = try TemporaryFolder()
        let absent = BreachedPasswords(folder: folder.url)
        #expect(try absent.count() == nil)
        #expect(try !absent.contains("password"))
        #expect(try !absent.remove())
        let (list, _) = try Self.install("password\nqwerty", in: folder)
        let whole = try Data(contentsOf: list.file)
        for damaged in [whole.dropLast(), whole + Data(count: 8), Data(count: whole.count), whole.prefix(10), Data()] {
            try damaged.write(to: list.file)
            #expect(throws: ServiceError.self) { try list.count() }
            #expect(throws: ServiceError.self) { try list.contains("password") }
        }
        #expect(try list.remove())
        #expect(try list.count() == nil)
    }

    @Test("A stopped import keeps the earlier list, and a second one at the same time is refused")
    func interrupted() throws {
        let folder = try TemporaryFolder()
        let (list, _) = try Self.install("password", in: folder)
        let writer = try BreachedPasswordWriter(list, .plain)
        try writer.add(Array("qwerty\n".utf8))
        let second = #expect(throws: ServiceError.self) { try BreachedPasswordWriter(list, .plain) }
        #expect(second?.code == .conflict)
        writer.discard()
        #expect(try list.contains("password"))
        #expect(try !list.contains("qwerty"))
        let empty = try BreachedPasswordWriter(list, .plain)
        #expect(throws: ServiceError.self) { try empty.finish() }
        empty.discard()
        #expect(try list.contains("password"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [BreachedPasswords.fileName])
    }

    @Test("Files of a killed import are removed, and those of a running one stay")
    func killed() throws {
        let folder = try TemporaryFolder()
        let (list, _) = try Self.install("password", in: folder)
        let left = ["part", "merged"].map { list.file.appendingPathExtension($0) }
        for file in left { try Data("half".utf8).write(to: file) }
        try BreachedPasswordWriter.removeUnfinished(list)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [BreachedPasswords.fileName])
        try BreachedPasswordWriter.removeUnfinished(list)
        let writer = try BreachedPasswordWriter(list, .plain)
        try writer.add(Array("qwerty\n".utf8))
        try BreachedPasswordWriter.removeUnfinished(list)
        #expect(try writer.finish() == 1)
        #expect(try list.contains("qwerty"))
    }
}
