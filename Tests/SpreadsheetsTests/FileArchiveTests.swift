import Foundation
import SpreadsheetSupport
import Spreadsheets
import Testing

@Suite("ZIP files of other files")
struct FileArchiveTests {
    private static func archive(_ bytes: [UInt8]) throws -> FileArchive {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return try FileArchive(file)
    }

    @Test("Files are listed in their order, without what systems add, and read")
    func files() throws {
        var zip = ZipWriter()
        zip.add("b/Ugo.jpg", [1, 2, 3], isStored: true)
        zip.add("a.jpg", [4])
        zip.add("__MACOSX/b/._Ugo.jpg", [5])
        zip.add("b/.DS_Store", [6])
        zip.add("Thumbs.db", [7])
        let archive = try Self.archive(zip.finish())
        #expect(archive.entries.map(\.name) == ["b/Ugo.jpg", "a.jpg"])
        #expect(try archive.read(archive.entries[0], limit: 3) == [1, 2, 3])
        #expect(try archive.read(archive.entries[1], limit: 3) == [4])
        #expect(throws: SpreadsheetError.self) { try archive.read(archive.entries[0], limit: 2) }
    }

    @Test("Files that lie about their size or checksum, that repeat a name, and too many files are refused")
    func lies() throws {
        var zip = ZipWriter()
        var lies = ZipWriter.Lies()
        lies.checksum = 7
        zip.add("a.jpg", [1, 2, 3], lies)
        zip.add("b.jpg", [1])
        zip.add("B.jpg", [2])
        let archive = try Self.archive(zip.finish())
        for entry in archive.entries { #expect(throws: SpreadsheetError.self) { try archive.read(entry, limit: 10) } }
        var many = ZipWriter()
        for number in 0...FileArchive.maxEntries { many.add("\(number)", [], isStored: true) }
        #expect(throws: SpreadsheetError.self) { try Self.archive(many.finish()) }
    }
}
