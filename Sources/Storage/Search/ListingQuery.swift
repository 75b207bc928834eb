package import CQL2
package import Domain

/// What to search the board for; every condition narrows.
package struct ListingQuery: Equatable, Sendable {
    package enum Order: String, CaseIterable, Sendable {
        case distance
        case newest = "-created_at"
        case oldest = "created_at"
    }

    package enum Breed: Equatable, Sendable {
        case key(String)
        /// Words to be found in the breed as it was written.
        case text(String)
    }

    package struct Circle: Equatable, Sendable {
        package let centre: Coordinate
        /// Metres; nil reaches round the Earth.
        package let radius: Double?

        package init(centre: Coordinate, radius: Double?) {
            self.centre = centre
            self.radius = radius
        }
    }

    package var statuses: [Listing.Status] = Listing.Status.open
    package var species: Species?
    package var breed: Breed?
    /// Keys of breeds, the likeliest first: all listings of the first come before those of the second. Empty for no
    /// such order; not together with `breed`.
    package var likelyBreeds: [String] = []
    /// Any one of these names, folded.
    package var places: Set<String> = []
    package var text: String?
    package var circle: Circle?
    package var box: BoundingBox?
    /// Bounds of `last_seen_at`: from `since` on, before `until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// The `Account.key` of the owner.
    package var owner: Int64?
    package var includesHidden = false
    /// Over columns of `listing`; evaluated for each listing that all else lets pass.
    package var filter: SQLCondition?
    package var order = Order.newest
    package var limit = 20
    package var cursor: Cursor?

    package init() {}

    /// The last row of a page. The next page starts behind it, whatever was added or removed meanwhile.
    package struct Cursor: Equatable, Sendable {
        package let order: Order
        /// Metres for `distance`, else empty: keys are in order of time.
        package let value: String
        package let key: Int64
        /// Which of the `likelyBreeds` it is of; 0 without them.
        package let rank: Int

        package init(order: Order, value: String, key: Int64, rank: Int = 0) {
            self.order = order
            self.value = value
            self.key = key
            self.rank = rank
        }
    }
}

/// How a listing answers a query.
package struct ListingMatch: Sendable {
    /// Metres on the ellipsoid from the centre, where one was given.
    package let distance: Double?
    /// Which of the `likelyBreeds` it is of; 0 without them.
    package let rank: Int
}

/// A page of the board.
package struct ListingResults: Sendable {
    package struct Entry: Sendable {
        package let listing: Listing
        /// Metres on the ellipsoid from the centre, where one was given.
        package let distance: Double?
    }

    package var entries: [Entry]
    /// Nil on the last page.
    package var next: ListingQuery.Cursor?
}
