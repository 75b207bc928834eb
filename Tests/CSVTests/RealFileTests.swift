import CSV
import Foundation
import Testing

private let table = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../shared/data/geo/animals/lost_found_unified.csv.xz").standardizedFileURL

@Suite("Real CSV file")
struct RealFileTests {
    /// The expected checksum was computed from the output of Python's `csv` module.
    @Test(
        "127,827 real reports read from a pipe match the output of Python's csv module",
        .enabled(if: FileManager.default.fileExists(atPath: table.path), "needs ../shared")
    )
    func lostPets() throws {
        let pipe = Pipe()
        let xz = Process()
        xz.executableURL = URL(filePath: "/usr/bin/env")
        xz.arguments = ["xz", "-dc", table.path]
        xz.standardOutput = pipe
        try xz.run()
        var reader = try CSVReader(pipe.fileHandleForReading, removesFormulaGuards: false)
        #expect(reader.header.names.count == 17)
        var sum = Checksum()
        var rows = 0
        while let row = try reader.next() {
            rows += 1
            for field in row.fields {
                for byte in field.utf8 { sum.add(byte) }
                sum.add(0x1F)
            }
            sum.add(0x1E)
        }
        #expect(rows == 127_827)
        #expect(sum.value == 0xFBEF_4727_926B_75FC)
    }
}

/// The FNV-1a hash.
private struct Checksum {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ byte: UInt8) {
        value = (value ^ UInt64(byte)) &* 0x100_0000_01B3
    }
}
