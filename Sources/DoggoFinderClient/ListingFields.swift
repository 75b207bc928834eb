public import Foundation

/// The fields of a new listing, or the changes of one, in which what is nil stays as it is.
public struct ListingFields: Encodable, Sendable {
    public var status: Status?
    public var lon: Double?
    public var lat: Double?
    /// The town.
    public var place: String?
    /// A street or landmark in the town, which everybody sees.
    public var whereabouts: String?
    public var locationPrecision: LocationPrecision?
    /// Accepts a point outside of the site's area that lies inside with longitude and latitude exchanged.
    public var pointConfirmed: Bool?
    public var lastSeenAt: Date?
    public var species: Species?
    public var name: String?
    /// A key or name of the list of breeds, or free text.
    public var breed: String?
    public var sex: Sex?
    public var size: Size?
    public var age: String?
    public var colour: String?
    public var collar: String?
    public var marks: String?
    public var microchip: String?
    /// A mark that who writes to the owner has to tell.
    public var secretMark: String?
    public var reward: String?
    public var description: String?
    public var contactName: String?
    public var contactPhone: String?
    public var contactEmail: String?
    public var contactNamePublic: Bool?
    public var contactPhonePublic: Bool?
    public var contactEmailPublic: Bool?
    /// The owner's own number of the animal.
    public var reference: String?

    /// Changes nothing yet.
    public init() {}

    /// A new listing at a point. The service adds the town.
    public init(_ status: Status, at point: Coordinate) {
        self.status = status
        lon = point.lon
        lat = point.lat
    }

    /// A new listing in a town. If several have this name, the `Problem` lists them as candidates.
    public init(_ status: Status, in place: String) {
        self.status = status
        self.place = place
    }
}
