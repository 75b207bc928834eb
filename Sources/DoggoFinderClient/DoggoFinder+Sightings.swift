public import Foundation

extension DoggoFinder {
    /// The sightings of a lost animal.
    public func sightings(of listing: UUID) async throws -> [Sighting] {
        let list: SightingList = try await send(Call("GET", "/v1/listings/\(listing)/sightings"))
        return list.sightings
    }

    /// Tells the owner of a listing where the animal was seen.
    ///
    /// - Parameters:
    ///   - sighting: Where and when it was seen.
    ///   - listing: A lost animal.
    ///   - photo: A photo of at most 16 MB.
    ///   - key: A sighting that is sent again with the same key within a day is added once.
    public func report(
        _ sighting: SightingFields,
        of listing: UUID,
        photo: Data? = nil,
        key: UUID = UUID()
    ) async throws -> Sighting {
        let path = "/v1/listings/\(listing)/sightings"
        guard let photo else { return try await send(Call("POST", path, json: sighting).once(key)) }
        var form = Form()
        for (name, value) in sighting.texts { form.add(name, value) }
        form.add("photo", photo, fileName: "photo")
        var call = Call("POST", path)
        call.headers["Content-Type"] = form.contentType
        call.body = form.body
        return try await send(call.once(key))
    }

    /// Confirms or dismisses a sighting as the owner of the listing.
    public func decide(_ sighting: UUID, of listing: UUID, _ state: SightingState) async throws -> Sighting {
        try await send(Call("PATCH", "/v1/listings/\(listing)/sightings/\(sighting)", json: ["state": state]))
    }
}

/// Where and when an animal was seen.
public struct SightingFields: Encodable, Sendable {
    public var lon: Double?
    public var lat: Double?
    /// A town, without a point.
    public var place: String?
    /// Accepts a point outside of the site's area that lies inside with longitude and latitude exchanged.
    public var pointConfirmed: Bool?
    public var seenAt: Date?
    public var text: String?
    public var contactPhone: String?

    public init(at point: Coordinate, seenAt: Date = Date(), text: String? = nil) {
        lon = point.lon
        lat = point.lat
        self.seenAt = seenAt
        self.text = text
    }

    public init(in place: String, seenAt: Date = Date(), text: String? = nil) {
        self.place = place
        self.seenAt = seenAt
        self.text = text
    }

    /// The fields of a form.
    fileprivate var texts: [(name: String, value: String)] {
        let fields: [(String, (any CustomStringConvertible)?)] = [
            ("lon", lon), ("lat", lat), ("place", place), ("point_confirmed", pointConfirmed),
            ("seen_at", seenAt?.formatted(.wire)), ("text", text), ("contact_phone", contactPhone),
        ]
        return fields.compactMap { name, value in value.map { (name, $0.description) } }
    }
}

public struct Sighting: Codable, Identifiable, Sendable {
    public let id: UUID
    public let lon: Double
    public let lat: Double
    public let place: String?
    /// Whether the point stands for the cell or the town around the animal's.
    public let approximate: Bool
    public let seenAt: Date
    public let createdAt: Date
    public let state: SightingState
    public let text: String?
    public let contactPhone: String?
    public let contactPhoneE164: String?
    public let photo: Photo?
    /// The listing of a sighted animal that the owner has attached.
    public let listing: Attached?
    /// Whether the account has reported it.
    public let mine: Bool

    public struct Photo: Codable, Sendable {
        public let url: URL
        public let medium: URL
        public let thumbnail: URL
        /// In pixels, of the largest size.
        public let width: Int
        public let height: Int
    }

    public struct Attached: Codable, Sendable {
        public let id: UUID
        public let name: String?
    }
}

struct SightingList: Codable {
    let sightings: [Sighting]
}
