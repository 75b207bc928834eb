import Domain
import Storage
import TestSupport
import Testing

@Suite("Pages of a sitemap")
struct SitemapTests {
    @Test("Pages of every size contain each open listing once", arguments: [1, 2, 3, 7, 100])
    func pages(size: Int) async throws {
        let board = try await TestDatabase()
        let owner = try await board.guest()
        var wanted: Set<String> = []
        for (index, status) in (Array(repeating: Listing.Status.lost, count: 7) + [.found, .closed]).enumerated() {
            let draft = try ListingStore.Draft.at(14 + Double(index) / 10, 40, status)
            let listing = try await board.listings.create(draft, owner: owner)
            if status.isOpen { wanted.insert(listing.id.uuidString.lowercased()) }
        }
        let pages = try board.search.sitemapPages(of: size)
        #expect(pages.count == (7 + size - 1) / size + 1)
        let found = try pages.map { try board.search.sitemapEntries($0, limit: size) }
        #expect(found.allSatisfy { !$0.isEmpty && $0.count <= size })
        let ids = found.joined().map(\.uuid)
        #expect(ids.count == wanted.count && Set(ids) == wanted)
    }
}
