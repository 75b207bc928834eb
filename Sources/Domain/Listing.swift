package import Foundation

/// One animal that somebody misses, found or saw.
package struct Listing: Equatable, Sendable {
    package enum Status: String, CaseIterable, Sendable {
        case lost
        case found
        case sighted
        case reunited
        case closed

        /// What people search for unless they say otherwise.
        package static let open: [Status] = [.lost, .found, .sighted]

        package var isOpen: Bool { Self.open.contains(self) }
    }

    package enum Sex: String, CaseIterable, Sendable {
        case female
        case male
    }

    package enum Size: String, CaseIterable, Sendable {
        case small
        case medium
        case large
    }

    /// The database's own key; never shown.
    package let key: Int64
    package let id: UUID
    /// The `Account.key` of the one owner.
    package let owner: Int64
    /// Counts the edits, from 1.
    package let version: Int
    /// Taken off the board by a moderator.
    package let hidden: Bool
    /// Why; nil where it is hidden because its account is banned.
    package let hiddenReason: Report.Reason?
    package let content: ListingContent
    package let location: ListingLocation
    /// In the order they are shown.
    package let photos: [ListingPhoto]
    /// When it ends unless it is renewed; nil where it is closed.
    package let expiresAt: Timestamp?
    /// What it was when it ended; nil where it stands or its owner closed it.
    package let expiredFrom: Status?
    package let createdAt: Timestamp
    package let updatedAt: Timestamp

    package init(
        key: Int64,
        id: UUID,
        owner: Int64,
        version: Int,
        hidden: Bool,
        hiddenReason: Report.Reason? = nil,
        content: ListingContent,
        location: ListingLocation,
        photos: [ListingPhoto],
        expiresAt: Timestamp? = nil,
        expiredFrom: Status? = nil,
        createdAt: Timestamp,
        updatedAt: Timestamp
    ) {
        self.key = key
        self.id = id
        self.owner = owner
        self.version = version
        self.hidden = hidden
        self.hiddenReason = hiddenReason
        self.content = content
        self.location = location
        self.photos = photos
        self.expiresAt = expiresAt
        self.expiredFrom = expiredFrom
        self.createdAt = createdAt
        self.updatedAt = updatedAt
    }
}

/// A photo of a listing, as addresses on this service.
package struct ListingPhoto: Codable, Equatable, Sendable {
    /// The most that a listing can have.
    package static let maxCount = 6

    /// Its place among those of the listing, 1 to `maxCount`.
    package let number: Int
    /// Pixels of the largest size.
    package let width: Int
    package let height: Int
    /// The largest size, 1,600 pixels at the most.
    package let url: String
    /// At most 800 pixels.
    package let medium: String
    /// At most 320 pixels.
    package let thumbnail: String
}

/// Where it was: the point, and the names the gazetteer has for it.
package struct ListingLocation: Equatable, Sendable {
    /// What everybody may know.
    package var coordinate: Coordinate
    /// The point is that of the cell or the town around the animal's.
    package var approximate: Bool
    /// The animal's, where it was given and only the owner may know it: then `coordinate` is its `cellCentre`.
    package var exact: Coordinate?
    /// The town.
    package var place: String?
    package var locality: String?
    package var province: String?
    package var provinceCode: String?
    package var region: String?
    package var country: String?
    package var countryCode: String?
    package var postalCode: String?

    package init(coordinate: Coordinate, approximate: Bool) {
        self.coordinate = coordinate
        self.approximate = approximate
    }

    /// A location named after the place of a gazetteer.
    package init(coordinate: Coordinate, approximate: Bool, named found: Place?) {
        self.init(coordinate: coordinate, approximate: approximate)
        place = found?.comune
        locality = found?.locality
        province = found?.province
        provinceCode = found?.provinceCode
        region = found?.region
        country = found?.country
        countryCode = found?.countryCode
        postalCode = found?.postalCode
    }

    /// How much of a point the owner lets everybody know.
    package var precision: LocationPrecision { approximate ? .approximate : .exact }

    /// The names it is found by, folded.
    package var searchNames: Set<String> {
        Set([place, locality, province, provinceCode, region].compactMap { $0?.folded }.filter { !$0.isEmpty })
    }
}
