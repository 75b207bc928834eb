import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

/// The SQL schema cannot be derived from the fields of a listing, so it is compared with them.
@Suite("Fields of listings in the schema")
struct ListingFieldTests {
    /// A database with one listing that has a value in each field.
    private static func board() async throws -> (TestDatabase, Listing) {
        let board = try await TestDatabase()
        var content = ListingContent()
        for field in ListingField.allCases {
            try content.apply(Field(field.name, field.sample), breeds: Bundled.breeds())
        }
        let draft = try ListingStore.Draft.at(14.79, 40.77) { $0 = content }
        return (board, try await board.listings.create(draft, owner: try await board.guest()))
    }

    @Test(
        "The table has a column for each field, with the same greatest length",
        .enabled(if: TestDatabase.isFile, "about SQLite's schema")
    )
    func columns() async throws {
        let board = try await TestDatabase()
        let (names, sql) = try await board.database.read { db in
            let sql = try db.value("SELECT sql FROM sqlite_schema WHERE name = 'listing'") as String?
            return (Set(try db.values("SELECT name FROM pragma_table_info('listing')") as [String]), sql ?? "")
        }
        for field in ListingField.columns {
            #expect(names.contains(field.name), "the table listing has no column \(field.name)")
            // Its constraint lists three lengths.
            guard field.isText, field != .microchip else { continue }
            #expect(sql.contains("length(\(field.name)) <= \(field.maxLength))"), "\(field.name)")
        }
    }

    @Test("Every field is stored and read")
    func storage() async throws {
        let (board, listing) = try await Self.board()
        let found = try #require(try await board.listings.findListing(id: listing.id))
        for field in ListingField.columns where field != .place {
            #expect(found.content.value(of: field) == field.sample, "\(field.name)")
        }
        #expect(found.location.place == listing.location.place)
    }

    @Test("The view listing_feature contains the public fields and no others")
    func features() async throws {
        let (board, _) = try await Self.board()
        let feature = try await board.database.read { db in
            try #require(try db.value("SELECT feature FROM listing_feature") as String?)
        }
        let json = try JSONDecoder().decode(JSONValue.self, from: Data((feature + "}}").utf8))
        guard case .object(let members) = json, case .object(let properties)? = members["properties"] else {
            Issue.record("not a feature: \(feature)")
            return
        }
        for field in ListingField.columns {
            #expect(
                properties[field.name] == (field.access == .owner ? nil : field.sample),
                "\(field.name) in the view listing_feature"
            )
        }
    }

    @Test("The text indexes contain the words of the searched fields and of no others")
    func words() async throws {
        let (board, listing) = try await Self.board()
        for field in ListingField.columns {
            guard case .string(let word) = field.sample, word.hasPrefix("sample") else { continue }
            for statuses in [[Listing.Status.lost], [.closed]] {
                var content = listing.content
                content.status = statuses[0]
                let version = try await board.listings.findListing(id: listing.id)?.version ?? 0
                _ = try await board.listings.update(
                    listing,
                    content: content,
                    location: listing.location,
                    version: version
                )
                var query = ListingQuery()
                query.text = word
                query.statuses = statuses
                #expect(
                    try await board.search.find(query).entries.count
                        == (field.definition.isSearched ? 1 : 0),
                    "the words of \(field.name) in a \(statuses[0]) listing"
                )
            }
        }
        #expect(try await board.database.check().isSound)
    }
}
