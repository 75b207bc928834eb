import Domain
import Foundation
import TestSupport
import Testing

@Suite(
    "Functions of filters on PostGIS",
    .enabled(if: PostgresTestServer.current != nil, "TEST_DATABASE names no PostgreSQL server")
)
struct PostGISFunctionTests {
    /// All characters that may be in a text of PostgreSQL, in the blocks of the Unicode Standard that contain letters.
    private static let blocks = [0x1...0xD7FF, 0xE000...0xFFFF, 0x10000...0x1FFFF, 0xE0100...0xE01EF]

    /// Characters that Swift knows and the older libraries of PostgreSQL do not, and code points that are no characters:
    /// `casei` uses one of these.
    private static func isOutside(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isNoncharacterCodePoint { return true }
        guard let age = scalar.properties.age else { return true }
        return (age.major, age.minor) > (14, 0)
    }

    @Test("CASEI folds each character as on SpatiaLite", arguments: blocks)
    func casei(block: ClosedRange<Int>) async throws {
        try await Self.compare(block, "casei", \.caseFolded)
    }

    @Test("ACCENTI changes each character as on SpatiaLite", arguments: blocks)
    func accenti(block: ClosedRange<Int>) async throws {
        try await Self.compare(block, "accenti", \.withoutAccents)
    }

    private static func compare(
        _ block: ClosedRange<Int>,
        _ function: String,
        _ change: (String) -> String
    ) async throws {
        let table = try await DogTable()
        let scalars = block.compactMap { UInt32($0) }.compactMap(Unicode.Scalar.init).filter { !isOutside($0) }
        let texts = scalars.map { "a\($0)b" }
        let json = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
        let sql = "SELECT json_agg(\(function)(value) ORDER BY key)::text FROM json_each(?) AS texts"
        let changed = try JSONDecoder().decode([String].self, from: Data(#require(try table.onServer(sql, json)).utf8))
        #expect(changed.count == texts.count)
        let different = zip(scalars, zip(texts, changed)).filter { _, pair in
            Array(change(pair.0).unicodeScalars) != Array(pair.1.unicodeScalars)
        }
        #expect(different.isEmpty, "\(different.prefix(20).map { ($0.0.value, change($0.1.0), $0.1.1) })")
    }
}
