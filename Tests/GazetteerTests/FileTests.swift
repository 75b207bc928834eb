import Domain
import Foundation
import Geodata
import Testing

@testable import Gazetteer

@Suite("Gazetteer files")
struct FileTests {
    /// A copy of the bundled files that a test may damage. It is deleted with the object.
    private final class Copy {
        let directory: URL

        init() throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            for name in ["gazetteer.bin", "points.bin", "sea.bin"] {
                try FileManager.default.copyItem(
                    at: Geodata.directory.appendingPathComponent(name),
                    to: directory.appendingPathComponent(name)
                )
            }
        }

        deinit {
            try? FileManager.default.removeItem(at: directory)
        }

        func change(_ name: String, _ change: (inout Data) -> Void) throws {
            let url = directory.appendingPathComponent(name)
            var data = try Data(contentsOf: url)
            change(&data)
            try data.write(to: url)
        }

        func failure() throws -> GazetteerError? {
            #expect(throws: GazetteerError.self) { _ = try Gazetteer(directory: directory) }
        }
    }

    @Test("The error for a folder without the files names the missing file")
    func missingFiles() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        let error = #expect(throws: GazetteerError.self) { _ = try Gazetteer(directory: folder) }
        #expect(try #require(error).description.contains("gazetteer.bin: No such file"))
    }

    @Test(
        "A truncated file is an error",
        arguments: ["gazetteer.bin", "points.bin", "sea.bin"],
        [0, 1, 15, 16, 40, 1_000, 100_000]
    )
    func truncatedFile(name: String, length: Int) throws {
        let copy = try Copy()
        try copy.change(name) { $0 = $0.prefix(length) }
        let error = try #require(try copy.failure())
        #expect(error.description.contains(name))
    }

    @Test("A file of another format is an error")
    func foreignFile() throws {
        let copy = try Copy()
        try copy.change("gazetteer.bin") { $0 = Data(String(repeating: "geonameid\tname\n", count: 100).utf8) }
        guard case .foreign = try copy.failure() else {
            Issue.record("expected .foreign")
            return
        }
    }

    @Test("A file of another version is an error")
    func otherVersion() throws {
        let copy = try Copy()
        try copy.change("points.bin") { $0[8] = 99 }
        guard case .version(_, let found) = try copy.failure() else {
            Issue.record("expected .version")
            return
        }
        #expect(found == 99)
    }

    @Test("A points file that belongs to another table of places is an error")
    func mismatchedPoints() throws {
        let copy = try Copy()
        try copy.change("points.bin") { $0[$0.count - 1] ^= 0xFF }
        guard case .mismatched = try copy.failure() else {
            Issue.record("expected .mismatched")
            return
        }
    }

    @Test("A change anywhere in the table of places is an error", arguments: [0.01, 0.3, 0.7, 0.999])
    func changedByte(position: Double) throws {
        let copy = try Copy()
        try copy.change("gazetteer.bin") { $0[Int(Double($0.count) * position)] ^= 1 }
        guard case .mismatched = try copy.failure() else {
            Issue.record("expected .mismatched")
            return
        }
    }

    @Test("A section that extends beyond the end of the file is an error")
    func invalidSection() throws {
        let copy = try Copy()
        try copy.change("gazetteer.bin") { data in
            for byte in 24..<40 { data[byte] = 0xFF }
        }
        guard case .damaged = try copy.failure() else {
            Issue.record("expected .damaged")
            return
        }
    }
}
