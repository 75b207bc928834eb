public import Foundation

/// A lost, found or sighted animal.
public typealias Listing = Feature<UUID, ListingProperties>

/// The properties of a listing. Members that only its owner sees are nil for others.
public struct ListingProperties: Codable, Hashable, Sendable {
    public let status: Status
    public let species: Species
    /// Status, breed and town in one line, in the language of the request. Lists have it.
    public let title: String?
    public let name: String?
    public let breed: String?
    /// The key in the list of breeds; nil for a breed that is not in it.
    public let breedKey: String?
    public let breedKeys: [String]?
    public let breedSource: BreedSource?
    /// Whether the animal is a cross.
    public let mixed: Bool?
    public let sex: Sex?
    public let size: Size?
    public let age: String?
    public let colour: String?
    public let collar: String?
    public let marks: String?
    public let reward: String?
    public let description: String?
    /// The short code for paper and the telephone.
    public let code: String
    public let lastSeenAt: Date?
    /// `day` if only the day is known.
    public let lastSeenPrecision: String?
    public let createdAt: Date
    public let updatedAt: Date
    public let photos: [ListingPhoto]

    public let place: String?
    /// A street or landmark in the town.
    public let whereabouts: String?
    public let locality: String?
    public let province: String?
    public let provinceCode: String?
    public let region: String?
    public let country: String?
    public let countryCode: String?
    public let postalCode: String?
    /// Whether the point stands for the cell or the town around the animal's.
    public let approximate: Bool
    public let locationPrecision: LocationPrecision?

    public let contactName: String?
    public let contactPhone: String?
    public let contactPhoneE164: String?
    public let contactEmail: String?
    public let contactNamePublic: Bool?
    public let contactPhonePublic: Bool?
    public let contactEmailPublic: Bool?
    /// Whether who writes to the owner has to tell a mark of the animal.
    public let asksForMark: Bool?
    public let secretMark: String?
    public let microchip: String?
    /// The owner's own number of the animal.
    public let reference: String?

    public let organisation: Organisation?
    /// The listing at the service from which this one was copied.
    public let origin: URL?
    public let expiresAt: Date?
    public let expiredFrom: Status?
    public let hidden: Bool?
    public let hiddenReason: String?

    /// Metres from the point of the search.
    public let distance: Double?
    /// From searches by a photo: how probably this is the animal, the sum of the evidence and its parts.
    public let likelihood: Double?
    public let scoreBits: Double?
    public let evidence: [Evidence]?

    public struct Organisation: Codable, Hashable, Sendable {
        public let id: UUID
        public let name: String
        /// Whether an admin has verified who it is.
        public let verified: Bool
    }
}

/// A photo of a listing in three sizes.
public struct ListingPhoto: Codable, Hashable, Sendable {
    /// Its place, from 1.
    public let number: Int
    public let url: URL
    public let medium: URL
    public let thumbnail: URL
    /// In pixels, of the largest size.
    public let width: Int
    public let height: Int
}

/// A reason for or against two listings being of the same animal.
public struct Evidence: Codable, Hashable, Sendable {
    public let kind: String
    public let level: String
    /// How much it speaks for the match, as a binary logarithm.
    public let bits: Double
    public let speaks: Direction
    /// Empty if there is nothing to say.
    public let text: String
}
