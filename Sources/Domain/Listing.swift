package import Foundation

/// An announcement of one lost, found or sighted animal.
package struct Listing: Equatable, Sendable {
    package enum Status: String, CaseIterable, Sendable {
        case lost
        case found
        case sighted
        case reunited
        case closed

        /// The statuses that a search includes by default.
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

    /// The primary key in the database. Clients see it only in the encoded form of a cursor.
    package let key: Int64
    package let id: UUID
    package let code: ListingCode
    /// The `Account.key` of the owner.
    package let owner: Int64
    /// Starts at 1 and increases with each edit.
    package let version: Int
    /// Whether the listing is hidden from everyone but its owner and admins.
    package let hidden: Bool
    /// The reason for which a moderator hid the listing; nil if it is hidden because its account is banned.
    package let hiddenReason: Report.Reason?
    package let content: ListingContent
    package let location: ListingLocation
    /// In the order in which they are shown.
    package let photos: [ListingPhoto]
    /// The time at which the listing expires unless it is renewed; nil for closed listings.
    package let expiresAt: Timestamp?
    /// The status before the listing expired; nil if it has not expired or its owner closed it.
    package let expiredFrom: Status?
    package let createdAt: Timestamp
    package let updatedAt: Timestamp
    /// The owner if it is an organisation.
    package let organisation: Organisation.Label?
    /// Nil if the listing began here.
    package let origin: ListingOrigin?

    /// When the animal was last seen, or else when the listing was posted.
    package var seenAt: Timestamp { content.lastSeenAt ?? createdAt }

    /// The day when the animal was last seen, if the time is not known.
    package var lastSeenDay: CalendarDay? {
        guard content.lastSeenIsDay, let time = content.lastSeenAt else { return nil }
        return CalendarDay(of: time, at: location.coordinate.lon)
    }

    package init(
        key: Int64,
        id: UUID,
        code: ListingCode,
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
        updatedAt: Timestamp,
        organisation: Organisation.Label? = nil,
        origin: ListingOrigin? = nil
    ) {
        (self.key, self.id, self.code, self.owner) = (key, id, code, owner)
        (self.version, self.hidden, self.hiddenReason) = (version, hidden, hiddenReason)
        (self.content, self.location, self.photos) = (content, location, photos)
        (self.expiresAt, self.expiredFrom, self.createdAt) = (expiresAt, expiredFrom, createdAt)
        (self.updatedAt, self.organisation, self.origin) = (updatedAt, organisation, origin)
    }
}

/// A photo of a listing, with its paths on this service.
package struct ListingPhoto: Codable, Equatable, Sendable {
    /// The maximum number of photos per listing.
    package static let maxCount = 6

    /// The position among the photos of the listing, from 1 to `maxCount`.
    package let number: Int
    /// In pixels, for the largest size.
    package let width: Int
    package let height: Int
    /// The path of the largest size: at most 1,600 pixels on the longer side.
    package let url: String
    /// At most 800 pixels.
    package let medium: String
    /// At most 320 pixels.
    package let thumbnail: String

    /// At most 480 pixels, for cards on telephones.
    package var small: String { thumbnail.replacing("-320.jpg", with: "-480.jpg") }
}

/// The location of the animal: a point, and the names of the place from the gazetteer.
package struct ListingLocation: Equatable, Sendable {
    /// The public position.
    package var coordinate: Coordinate
    /// Whether the point is only the centre of a cell or a town near the animal's position.
    package var approximate: Bool
    /// The exact position, if one was given that only the owner may see; `coordinate` is then its `cellCentre`.
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

    /// Creates a location with the names of a place of the gazetteer.
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

    /// The precision with which the position is public.
    package var precision: LocationPrecision { approximate ? .approximate : .exact }

    /// The name by which `PlaceFinder.town` finds the town; nil if there is no town.
    package var fullTownName: String? {
        place.map { town in
            Place.fullName(locality, of: town, provinceCode: provinceCode, region: region, country: country)
        }
    }

    /// The folded names by which searches find the location.
    package var searchNames: Set<String> {
        Set([place, locality, province, provinceCode, region].compactMap { $0?.folded }.filter { !$0.isEmpty })
    }
}
