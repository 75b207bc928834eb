import Domain
import RandomSupport
import SQL
import TestSupport
import Testing

@testable import SpatiaLite
@testable import Storage

@Suite("Short features")
struct ShortFeatureTests {
    private static func expand(_ short: String) -> String {
        var feature: [UInt8] = []
        Array(short.utf8).withUnsafeBufferPointer { ShortFeature.expand($0, into: &feature) }
        return String(decoding: feature, as: UTF8.self)
    }

    @Test("Parts have the characters that databases contain")
    func stable() {
        #expect(ShortFeature.parts.count == 31)
        #expect(ShortFeature.shorten(#"{"type":"Feature","id":"1","geometry":{}"#) == "\u{1}1\",\"geometry\":{}")
        #expect(ShortFeature.shorten(#","marks":null,"collar":"rosso","photos":[]"#) == "\u{10}null\u{11}\"rosso\u{1F}")
        #expect(
            ShortFeature.shorten(
                #","age":null,"reward":null,"marks":null,"collar":null,"approximate":false,"created_at":"2"#)
                == "\u{D}null\u{1D}2"
        )
    }

    @Test("Texts of parts and other texts become the same again")
    func roundTrip() {
        var random = SeededGenerator(seed: 5)
        let others = ["", "a", "\"", "]}", "é 犬", "{\"type\":\"Feature\",\"id\":", ",\"breed\"", "\u{7F}"]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                Bool.random(using: &random)
                    ? String(decoding: ShortFeature.parts.randomElement(using: &random) ?? [], as: UTF8.self)
                    : others.randomElement(using: &random) ?? ""
            }.joined()
            #expect(Self.expand(ShortFeature.shorten(text)) == text)
        }
    }

    @Test(
        "The board has the features of the view, in less than two thirds of their size",
        .enabled(if: TestDatabase.isFile, "PostgreSQL stores whole features")
    )
    func stored() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        for number in 0..<20 {
            let draft = try ListingStore.Draft.at(14, 40 + Double(number) / 10) { $0[.name] = "\"Ugo\" \(number)" }
            _ = try await board.listings.create(draft, owner: owner)
        }
        let rows = try await board.database.read { db in
            let sql =
                "SELECT board.feature, whole.feature FROM board JOIN listing_feature AS whole ON whole.id = board.id >> 4"
            return try db.rows(sql) { (try $0[0] as String, try $0[1] as String) }
        }
        #expect(rows.count == 20)
        for (short, feature) in rows {
            #expect(Self.expand(short) == feature)
            #expect(short.utf8.count * 3 < feature.utf8.count * 2)
        }
    }
}
