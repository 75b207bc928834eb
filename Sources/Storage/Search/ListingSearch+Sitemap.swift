package import Domain
import SQL

/// The open listings in pages of fixed size, for search engines.
extension ListingSearch {
    /// A page: the listings of a status after a position.
    package struct SitemapPage: Equatable, Sendable {
        package let status: Listing.Status
        /// The `Listing.key` before the page; 0 for the first page of a status.
        package let after: Int64

        package init(status: Listing.Status, after: Int64) {
            self.status = status
            self.after = after
        }
    }

    package struct SitemapEntry: Equatable, Sendable {
        package let uuid: String
        package let updatedAt: Timestamp
    }

    /// The pages of each status, oldest listings first. Only an index is read, with one step for each listing.
    ///
    /// - Parameter size: the number of listings on a page.
    package func sitemapPages(of size: Int) throws -> [SitemapPage] {
        try database.readNow { db in
            var pages: [SitemapPage] = []
            for status in Listing.Status.open {
                var after: Int64 = 0
                while try !Self.keys(status, after, 1, skipping: 0, db).isEmpty {
                    pages.append(SitemapPage(status: status, after: after))
                    guard let last = try Self.keys(status, after, 1, skipping: size - 1, db).first else { break }
                    after = last
                }
            }
            return pages
        }
    }

    package func sitemapEntries(_ page: SitemapPage, limit: Int) throws -> [SitemapEntry] {
        try database.readNow { db in
            let keys = try Self.keys(page.status, page.after, limit, skipping: 0, db)
            let list = "[" + keys.map { String($0) }.joined(separator: ",") + "]"
            return try db.rows(
                """
                SELECT uuid, updated_at FROM json_each(?) AS wanted CROSS JOIN listing
                WHERE listing.id = CAST(wanted.value AS BIGINT)
                """,
                [list]
            ) { row in SitemapEntry(uuid: try row[0], updatedAt: try row[1]) }
        }
    }

    /// The facet of a status has all its listings that are not hidden, in order of time.
    private static func keys(
        _ status: Listing.Status,
        _ after: Int64,
        _ limit: Int,
        skipping offset: Int,
        _ db: SQLConnection
    ) throws -> [Int64] {
        try db.values(
            """
            SELECT listing_id FROM listing_facet \(db.indexed(by: "listing_facet_time"))
            WHERE facet_id = (SELECT id FROM facet WHERE name = ?) AND listing_id > ?
            ORDER BY listing_id LIMIT ? OFFSET ?
            """,
            [status.rawValue, after, limit, offset]
        )
    }
}
