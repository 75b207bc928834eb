package import Foundation

/// A report that somebody saw the lost animal of a listing, as one reader sees it.
package struct Sighting: Sendable {
    package enum State: String, CaseIterable, Sendable {
        /// The owner of the listing has not decided yet.
        case proposed
        case confirmed
        case dismissed
    }

    /// The maximum number of sightings of a listing that its owner has not dismissed.
    package static let maxCount = 200
    /// The maximum number of sightings by one account about a listing that its owner has not decided on.
    package static let maxUndecided = 10
    /// The maximum length of the text in Unicode scalars.
    package static let maxTextLength = 1000

    /// A listing of the same sighting, which the owner of the lost animal has attached.
    package struct AttachedListing: Equatable, Sendable {
        package let id: UUID
        package let name: String?
        package let species: Species

        package init(id: UUID, name: String?, species: Species) {
            (self.id, self.name, self.species) = (id, name, species)
        }
    }

    package let id: UUID
    package let state: State
    /// Whether the reader reported the sighting.
    package let isMine: Bool
    /// The exact point for the owner of the listing and the author; the centre of its cell for others.
    package let point: Coordinate
    /// Whether the point is only the centre of a cell or of a town.
    package let isApproximate: Bool
    /// The town.
    package let place: String?
    package let seenAt: Timestamp
    package let text: String?
    /// Nil for readers other than the owner of the listing and the author.
    package let contactPhone: String?
    package let attached: AttachedListing?
    /// The photo of the sighting, or the first one of the attached listing.
    package let photo: StoredPhoto?
    package let createdAt: Timestamp

    package init(
        id: UUID,
        state: State,
        isMine: Bool,
        point: Coordinate,
        isApproximate: Bool,
        place: String?,
        seenAt: Timestamp,
        text: String?,
        contactPhone: String?,
        attached: AttachedListing?,
        photo: StoredPhoto?,
        createdAt: Timestamp
    ) {
        (self.id, self.state, self.isMine) = (id, state, isMine)
        (self.point, self.isApproximate, self.place) = (point, isApproximate, place)
        (self.seenAt, self.text, self.contactPhone) = (seenAt, text, contactPhone)
        (self.attached, self.photo, self.createdAt) = (attached, photo, createdAt)
    }
}

/// The input of a sighting: a point or the name of a town, the time, and what the author says.
package struct SightingContent: Equatable, Sendable {
    package var lon: Double?
    package var lat: Double?
    package var place: String?
    package var seenAt: Timestamp?
    package var text: String?
    package var contactPhone: String?
    private var isPointConfirmed = false

    package static let fieldNames = ["lon", "lat", "place", "seen_at", "text", "contact_phone"]

    package init() {}

    /// Parses input fields. Throws if there are other fields than those of a sighting.
    package init(_ fields: [String: JSONValue]) throws(ServiceError) {
        var fields = fields
        isPointConfirmed = try fields.takePointConfirmation()
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) { try apply(Field(name, value)) }
        guard place == nil || lon == nil && lat == nil else {
            throw .invalid("place", "expected a point (lon and lat) or the name of a town, not both")
        }
    }

    private mutating func apply(_ field: Field) throws(ServiceError) {
        switch field.name {
        case "lon": lon = try field.degrees(within: 180)
        case "lat": lat = try field.degrees(within: 90)
        case "place": place = try field.text(atMost: ListingField.place.maxLength)
        case "seen_at": seenAt = try field.pastTimestamp()
        case "text": text = try field.text(atMost: Sighting.maxTextLength, lines: true)
        case "contact_phone": contactPhone = try field.phone()
        default:
            let known = Self.fieldNames.joined(separator: ", ")
            throw .invalid(field.name, "is not a field of a sighting: expected \(known)")
        }
    }

    /// Completes the sighting with the gazetteer. Names of a place are looked up for the centre of the cell, so that they
    /// say no more about the point than the cell does.
    package func located(by finder: any PlaceFinder, language: Language) throws -> SightingDraft {
        var content = ListingContent()
        (content.lon, content.lat, content.place) = (lon, lat, place)
        if let point = try content.point() {
            try finder.expectPlausible(point, isConfirmed: isPointConfirmed, language: language)
        }
        try content.readAddress(finder, language: language)
        let location = try content.located(by: finder, language: language)
        try TelephoneNumber.expectPossible(contactPhone, in: location.countryCode, field: "contact_phone")
        return SightingDraft(
            point: location.exact ?? location.coordinate,
            isApproximate: location.exact == nil,
            place: location.fullTownName,
            seenAt: seenAt ?? .now,
            text: try text(after: content.whereabouts),
            contactPhone: contactPhone
        )
    }

    /// A sighting has no field for a street, so the one that was written with the town begins the text.
    private func text(after whereabouts: String?) throws(ServiceError) -> String? {
        guard let whereabouts else { return text }
        let whole = [whereabouts, text].compactMap(\.self).joined(separator: "\n")
        guard whole.count <= Sighting.maxTextLength else {
            throw .invalid(
                "text", "expected at most \(Sighting.maxTextLength) characters together with the street in place")
        }
        return whole
    }
}

/// A sighting that is ready to be stored.
package struct SightingDraft: Equatable, Sendable {
    package let point: Coordinate
    package let isApproximate: Bool
    package let place: String?
    package let seenAt: Timestamp
    package let text: String?
    package let contactPhone: String?

    package init(
        point: Coordinate,
        isApproximate: Bool,
        place: String?,
        seenAt: Timestamp,
        text: String?,
        contactPhone: String?
    ) {
        (self.point, self.isApproximate, self.place) = (point, isApproximate, place)
        (self.seenAt, self.text, self.contactPhone) = (seenAt, text, contactPhone)
    }
}
