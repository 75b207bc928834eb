/// A word of the wire format. A service may know more words than an app that was built before it.
public protocol Word: RawRepresentable<String>, CaseIterable, Codable, Hashable, Sendable, CustomStringConvertible {
    init(rawValue: String)
}

extension Word {
    public var description: String { rawValue }
}

/// The state of a listing.
public struct Status: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let lost = Self(rawValue: "lost")
    public static let found = Self(rawValue: "found")
    public static let sighted = Self(rawValue: "sighted")
    public static let reunited = Self(rawValue: "reunited")
    public static let closed = Self(rawValue: "closed")

    public static let allCases: [Self] = [.lost, .found, .sighted, .reunited, .closed]
}

/// A kind of animal.
public struct Species: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let dog = Self(rawValue: "dog")
    public static let cat = Self(rawValue: "cat")
    public static let other = Self(rawValue: "other")

    public static let allCases: [Self] = [.dog, .cat, .other]
}

/// The sex of an animal.
public struct Sex: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let female = Self(rawValue: "female")
    public static let male = Self(rawValue: "male")

    public static let allCases: [Self] = [.female, .male]
}

/// The size of an animal.
public struct Size: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let small = Self(rawValue: "small")
    public static let medium = Self(rawValue: "medium")
    public static let large = Self(rawValue: "large")

    public static let allCases: [Self] = [.small, .medium, .large]
}

/// How much others may know of the point: itself, or the cell of about 500 m around it.
public struct LocationPrecision: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let exact = Self(rawValue: "exact")
    public static let approximate = Self(rawValue: "approximate")

    public static let allCases: [Self] = [.exact, .approximate]
}

/// Where the breed of a listing comes from.
public struct BreedSource: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let owner = Self(rawValue: "owner")
    public static let photo = Self(rawValue: "photo")

    public static let allCases: [Self] = [.owner, .photo]
}

/// An owner's answer to a match.
public struct Answer: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let yes = Self(rawValue: "yes")
    public static let no = Self(rawValue: "no")
    public static let unsure = Self(rawValue: "unsure")

    public static let allCases: [Self] = [.yes, .no, .unsure]
}

/// How far the owners of two listings are with each other.
public struct MatchState: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let undecided = Self(rawValue: "undecided")
    public static let waiting = Self(rawValue: "waiting")
    public static let asked = Self(rawValue: "asked")
    public static let agreed = Self(rawValue: "agreed")
    public static let home = Self(rawValue: "home")
    public static let rejected = Self(rawValue: "rejected")

    public static let allCases: [Self] = [.undecided, .waiting, .asked, .agreed, .home, .rejected]
}

/// The opinion of the listing's owner on a sighting.
public struct SightingState: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let proposed = Self(rawValue: "proposed")
    public static let confirmed = Self(rawValue: "confirmed")
    public static let dismissed = Self(rawValue: "dismissed")

    public static let allCases: [Self] = [.proposed, .confirmed, .dismissed]
}

/// Whether a photo shows a breed that the model is sure of.
public struct Recognition: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let accepted = Self(rawValue: "accepted")
    public static let lowConfidence = Self(rawValue: "low_confidence")
    public static let notTheSubject = Self(rawValue: "not_the_subject")

    public static let allCases: [Self] = [.accepted, .lowConfidence, .notTheSubject]
}

/// A kind of help nearby.
public struct PlaceCategory: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let veterinary = Self(rawValue: "veterinary")
    public static let petShop = Self(rawValue: "pet_shop")
    public static let animalShelter = Self(rawValue: "animal_shelter")
    public static let animalBoarding = Self(rawValue: "animal_boarding")
    public static let grooming = Self(rawValue: "grooming")
    public static let dogPark = Self(rawValue: "dog_park")

    public static let allCases: [Self] = [.veterinary, .petShop, .animalShelter, .animalBoarding, .grooming, .dogPark]
}

/// Whether a place is open now.
public struct OpeningState: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let open = Self(rawValue: "open")
    public static let closed = Self(rawValue: "closed")
    public static let unknown = Self(rawValue: "unknown")

    public static let allCases: [Self] = [.open, .closed, .unknown]
}

/// The role of an account, which decides what it may do.
public struct Role: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let guest = Self(rawValue: "guest")
    public static let user = Self(rawValue: "user")
    public static let admin = Self(rawValue: "admin")
    public static let organisation = Self(rawValue: "organisation")

    public static let allCases: [Self] = [.guest, .user, .admin, .organisation]
}

/// The kind of place that the point of an address is that of.
public struct AddressPrecision: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let house = Self(rawValue: "house")
    public static let nearestHouse = Self(rawValue: "nearest_house")
    public static let street = Self(rawValue: "street")
    public static let landmark = Self(rawValue: "landmark")

    public static let allCases: [Self] = [.house, .nearestHouse, .street, .landmark]
}

/// Whether a piece of evidence speaks for a match.
public struct Direction: Word {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let `for` = Self(rawValue: "for")
    public static let against = Self(rawValue: "against")
    public static let neither = Self(rawValue: "neither")

    public static let allCases: [Self] = [.for, .against, .neither]
}
