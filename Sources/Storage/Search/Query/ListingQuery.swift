package import CQL2
package import Domain
package import Matching
package import SearchText

/// A search for listings; all conditions must hold.
package struct ListingQuery: Equatable, Sendable {
    package enum Order: String, CaseIterable, Sendable {
        case distance
        case newest = "-created_at"
        case oldest = "created_at"
    }

    package enum Breed: Equatable, Sendable {
        /// Listings with one of these `ListingBreeds.facets`.
        case keys(Set<String>)
        /// Listings whose own text of the breed contains all words of this folded text.
        case text(String)

        package static func key(_ key: String) -> Breed { .keys([key]) }
    }

    /// A part of the results.
    enum Fit: Equatable, Sendable {
        case any
        /// Those with all of `preference`.
        case exact
        /// All others.
        case loose
    }

    package struct Circle: Equatable, Sendable {
        package let centre: Coordinate
        /// In metres; nil for no limit.
        package let radius: Double?

        package init(centre: Coordinate, radius: Double?) {
            self.centre = centre
            self.radius = radius
        }
    }

    package var statuses: [Listing.Status] = Listing.Status.open
    package var species: Species?
    /// Excludes animals of which another sex or size is told.
    package var sex: Listing.Sex?
    package var size: Listing.Size?
    package var breed: Breed?
    package var includesCrosses = true
    /// Restricts the search to the dogs that a photo may show, and puts them in the order of the ranking. Cannot be
    /// combined with `breed`.
    package var photo: PhotoRanking?
    /// Folded names of places, at least one of which must match.
    package var places: Set<String> = []
    /// The code of the country (ISO 3166-1 alpha-2, upper case).
    package var country: String?
    /// The code of the only listing that is wanted.
    package var code: ListingCode?
    /// Conditions on facets and texts, all of which must hold.
    package var clauses: [SearchClause] = []
    /// Excludes listings that fulfil all of these, if there are any.
    var exceptClauses: [SearchClause] = []
    package var circle: Circle?
    package var box: BoundingBox?
    /// Bounds of `last_seen_at`: at or after `since`, and before `until`.
    package var since: Timestamp?
    package var until: Timestamp?
    /// The `Account.key` of the owner.
    package var owner: Int64?
    package var includesHidden = false
    /// A condition on columns of `listing`, evaluated for each listing that fulfils all other conditions.
    package var filter: SQLCondition?
    /// Which of the results come first.
    package var preference = ListingPreference()
    /// Which of the results are wanted, as far as there is a preference.
    var fit = Fit.any
    /// How the text of the search was read; nil if there is none.
    package var reading: SearchReading?
    package var order = Order.newest
    package var limit = 20
    package var cursor: Cursor?

    package init() {}

    /// A folded text, of which the texts of the listing must contain all words. It replaces all clauses.
    package var text: String? {
        get { clauses.isEmpty ? nil : clauses.flatMap(\.phrases).joined(separator: " ") }
        set { clauses = newValue?.split(separator: " ").map { SearchClause(phrases: [String($0)]) } ?? [] }
    }

    /// The last row of a page. The next page starts after it, independently of listings that were added or removed
    /// meanwhile.
    package struct Cursor: Equatable, Sendable {
        package let order: Order
        /// The distance in metres, or the score of a search by photo in bits, if the order is `distance`; otherwise empty, because
        /// keys are in the order of time.
        package let value: String
        package let key: Int64
        /// The index of the row's group in `photo` or of its part of the search; 0 without them.
        package let rank: Int

        package init(order: Order, value: String, key: Int64, rank: Int = 0) {
            self.order = order
            self.value = value
            self.key = key
            self.rank = rank
        }
    }
}

/// The relation of a listing to the query that found it.
package struct ListingMatch: Sendable {
    /// The distance from the centre in metres on the ellipsoid; nil without a centre.
    package let distance: Double?
    /// Nil if no photo is searched.
    package let photo: Photo?

    /// How a listing fits a photo.
    package struct Photo: Equatable, Sendable {
        /// The score; 0 if there is no place.
        package let bits: Double
        /// The probability that the photo shows the breed of the listing; nil if it is none of the photo's breeds.
        package let breed: Double?
        /// The reasons for and against, the strongest first; empty if there is no place.
        package let evidence: [Evidence]
    }
}

/// A page of search results.
package struct ListingResults: Sendable {
    package struct Entry: Sendable {
        package let listing: Listing
        /// The distance from the centre in metres on the ellipsoid; nil without a centre.
        package let distance: Double?
    }

    package var entries: [Entry]
    /// Nil on the last page.
    package var next: ListingQuery.Cursor?
}
