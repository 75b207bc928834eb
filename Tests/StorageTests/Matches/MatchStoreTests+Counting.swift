import Domain
import Foundation
import Matching
import SQL
import TestSupport
import Testing

@testable import Storage

extension MatchStoreTests {
    @Test("Answers and links are counted, and the other lost listings near each find")
    func counting() async throws {
        #expect(try matches.countAnswers() == MatchAnswerCounts(yes: 0, no: 0, unsure: 0, linked: 0))
        let (lost, found) = (try await post(.lost), try await post(.found, metres: 300))
        let others = [try await post(.lost, metres: 900), try await post(.lost, metres: 15_000)]
        _ = try await post(.lost, metres: 80_000)
        _ = try await matches.answer(.yes, for: found, other: lost)
        _ = try await matches.answer(.yes, for: lost, other: found)
        #expect(try matches.countAnswers() == MatchAnswerCounts(yes: 2, no: 0, unsure: 0, linked: 0))
        _ = try await matches.setHome(true, lost, other: found)
        let sighted = try await post(.sighted)
        _ = try await matches.answer(.no, for: sighted, other: others[0])
        _ = try await matches.answer(.unsure, for: others[1], other: sighted)
        #expect(try matches.countAnswers() == MatchAnswerCounts(yes: 2, no: 1, unsure: 1, linked: 1))
        var links: [LinkedMatch] = []
        try matches.forEachLink { link, left in
            #expect(left == 1)
            links.append(link)
        }
        let link = try #require(links.first)
        #expect(links.count == 1 && link.lost.subject.isLost && !link.found.isLost)
        #expect(abs(link.lost.distanceMetres - 300) < 1 && link.others.count == 2)
        _ = try await matches.answer(nil, for: lost, other: found)
        try matches.forEachLink { _, _ in Issue.record("the link has ended") }
    }

    @Test("The day and the uncertainty of a listing are those of the table of candidates")
    func columns() async throws {
        var listings: [Int64: Listing] = [:]
        for lon in [-179.6, -75.5, 0.4, 14.5, 15.49, 179.99] {
            for hours in [0, 5, 11, 17, 23] {
                let draft = try ListingStore.Draft.at(lon, 40, .found) { content in
                    content.locationPrecision = hours > 11 ? .exact : .approximate
                    content.lastSeenAt = Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(hours) * 3_600_000)
                }
                let listing = try await board.listings.create(draft, owner: owner)
                listings[listing.key] = listing
            }
        }
        let rows = try await board.database.read { db in
            try db.rows("SELECT listing_id, day, blur FROM match_candidate") { row in
                (key: row.integer(0), day: Int(row.integer(1)), blur: row.integer(2))
            }
        }
        #expect(rows.count == 30)
        for row in rows {
            let listing = try #require(listings[row.key])
            #expect(listing.seenDay == row.day && listing.location.blur == row.blur)
        }
    }
}
