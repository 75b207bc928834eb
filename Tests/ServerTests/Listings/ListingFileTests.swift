import Concurrency
import Domain
import Formats
import Foundation
import TestSupport
import Testing

@testable import Storage

@Suite("Files of listings")
struct ListingFileTests {
    @Test(
        "A file whose first pages are empty is one document",
        .enabled(if: TestDatabase.isFile, "PostgreSQL reads so few listings with one statement")
    )
    func emptyPages() async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        let drafts = try (0..<40).map { number in
            try ListingStore.Draft.at(14, 40 + Double(number) / 100) { $0[.whereabouts] = number < 2 ? "al molo" : nil }
        }
        try await board.fill(drafts, owner: owner)
        var query = ListingQuery()
        query.statuses = Listing.Status.allCases
        query.text = "molo"
        query.includesHidden = true
        let meter = RequestMeter(client: ClientPrefixes(["client"]))
        meter.limitReads(.seconds(3600))
        let (pages, text) = try await RequestMeter.$current.withValue(meter) {
            try await SearchTime.$limits.withValue(.init(share: 0, least: 1)) {
                var file = ListingFile(.geojson, of: query, with: board.search, base: "https://a.example", full: false)
                var (pages, bytes) = (0, [UInt8]())
                while let piece = try file.next() {
                    pages += 1
                    bytes += piece
                }
                return (pages, String(decoding: bytes, as: UTF8.self))
            }
        }
        let found = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        guard case .object(let members) = found, case .array(let features)? = members["features"] else {
            Issue.record("no collection: \(text)")
            return
        }
        #expect(features.count == 2 && pages > 1)
    }
}
