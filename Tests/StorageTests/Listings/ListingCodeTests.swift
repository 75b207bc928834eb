import Domain
import Foundation
import Migrations
import SQL
import TestSupport
import Testing

@testable import Storage

@Suite("Codes of stored listings")
struct ListingCodeStorageTests {
    private static func draft(_ number: Int) throws -> ListingStore.Draft {
        try .at(14.79, 40.77, createdAt: Timestamp(milliseconds: 1_780_000_000_000 + Int64(number))) { content in
            content.name = "Argo"
            content[.reference] = "R\(number)"
        }
    }

    private static func codes(_ board: TestDatabase) async throws -> [String: String] {
        let rows = try await board.database.read { db in
            try db.rows("SELECT uuid, code FROM listing") { (try $0[0] as String, try $0[1] as String) }
        }
        return Dictionary(uniqueKeysWithValues: rows)
    }

    @Test("A post gets a code, which no change of it changes, and a repeated post keeps it")
    func post() async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("anna@example.org")
        let draft = try Self.draft(1)
        let listing = try await board.listings.createOnce(draft, owner: owner) { row, _ in try Listing(row) }
        let again = try await board.listings.createOnce(draft, owner: owner) { row, _ in try Listing(row) }
        #expect(again.code == listing.code)
        var content = listing.content
        content.name = "Luna"
        let changed = try await board.listings.update(
            listing, content: content, location: listing.location, version: nil)
        #expect(changed.code == listing.code && changed.version == 2)
        let (_, updated) = try await board.listings.put([draft], owner: owner)
        #expect(updated == 1)
        #expect(try await Self.codes(board) == [listing.id.lowercased: listing.code.text])
        #expect(try board.listings.findListing(code: listing.code, \.key) == listing.key)
        let other = try #require(ListingCode(listing.code.text == "2222222" ? "3333333" : "2222222"))
        #expect(try board.listings.findListing(code: other, \.key) == nil)
    }

    @Test("Imports give each listing a code of its own, and repeated imports keep them")
    func imports() async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("anna@example.org")
        func run() async throws {
            let importer = try ListingImporter(board.database, owner: owner)
            try importer.add(try (0..<700).map { ListingImporter.Row(try Self.draft($0)) })
            try await importer.writeAll { _, _ in }
        }
        try await run()
        let first = try await Self.codes(board)
        #expect(first.count == 700 && Set(first.values).count == 700)
        #expect(first.values.allSatisfy { ListingCode($0) != nil })
        try await run()
        #expect(Set(try await Self.codes(board).values) == Set(first.values))
        #expect(try await board.database.check().findings.flatMap(\.problems) == [])
    }

    @Test("A code that another listing has is drawn again, and codes that are drawn together differ")
    func collisions() async throws {
        let board = try await TestDatabase()
        let listing = try await board.listings.create(
            try Self.draft(1), owner: try await board.user("anna@example.org"))
        let free = try ["2222222", "3333333"].map { try #require(ListingCode($0)) }.filter { $0 != listing.code }
        let drawn = try await board.database.write { db in
            var next = [listing.code, listing.code, free[0], free[0], listing.code, free.last ?? free[0]][...]
            let codes = try ListingCodes.draw(free.count, db) { next.popFirst() ?? .random() }
            return (codes: Set(codes), rest: next.count)
        }
        #expect(drawn.codes == Set(free) && drawn.rest == 0)
    }

    @Test("The database refuses a code that another listing has, and other texts")
    func constraints() async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("anna@example.org")
        let first = try await board.listings.create(try Self.draft(1), owner: owner)
        let second = try await board.listings.create(try Self.draft(2), owner: owner)
        for code in [first.code.text, "", "7kf3m2q", "7KF3M2", "7KF3M2QQ", "7KF3M2O", "7KF3M2\n"] {
            await #expect(throws: (any Error).self) {
                try await board.database.write { db in
                    try db.execute("UPDATE listing SET code = ? WHERE id = ?", [code, second.key])
                }
            }
        }
    }

    @Test("The check finds a listing without a code")
    func check() async throws {
        let board = try await TestDatabase()
        let owner = try await board.user("anna@example.org")
        let listing = try await board.listings.create(try Self.draft(1), owner: owner)
        #expect(try await board.database.check().isSound)
        try await board.database.write { db in try db.execute("UPDATE listing SET code = NULL") }
        let findings = try await board.database.check().findings.filter { !$0.problems.isEmpty }
        #expect(findings.map(\.what) == ["codes of listings"])
        #expect(findings.flatMap(\.problems) == ["listing \(listing.id.lowercased) has no code"])
    }

    @Test("A typed code finds the position of a listing that is not hidden")
    func position() async throws {
        let board = try await TestDatabase()
        let listing = try await board.listings.create(
            try Self.draft(1), owner: try await board.user("anna@example.org"))
        #expect(try board.search.findPosition(of: listing.code) == listing.location.coordinate)
        var query = ListingQuery()
        query.code = listing.code
        for order in [ListingQuery.Order.newest, .oldest] {
            query.order = order
            #expect(try await board.search.find(query).entries.map(\.listing.id) == [listing.id])
        }
        #expect(try board.search.count(query).count == 1)
        try await board.database.write { db in try db.execute("UPDATE listing SET hidden = TRUE") }
        #expect(try board.search.findPosition(of: listing.code) == nil)
        #expect(try await board.search.find(query).entries.isEmpty)
    }
}
