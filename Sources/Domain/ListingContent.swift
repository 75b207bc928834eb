/// What the owner of a listing writes, and may write again.
package struct ListingContent: Equatable, Sendable {
    package var status: Listing.Status?
    package var species = Species.dog
    package var name: String?
    /// As it was written.
    package var breed: String?
    /// The breed of the list it means; nil for free text.
    package var breedKey: String?
    /// Whether the breed is a model's word, not the owner's.
    package var breedIsPredicted = false
    package var sex: Listing.Sex?
    package var size: Listing.Size?
    package var colour: String?
    package var age: String?
    package var microchip: String?
    package var marks: String?
    /// What only its owner knows of it; whoever says they have it is asked for that.
    package var secretMark: String?
    package var description: String?
    package var lastSeenAt: Timestamp?
    package var lon: Double?
    package var lat: Double?
    /// Homes are not told unless their owner says so.
    package var locationPrecision = LocationPrecision.approximate
    /// The town as it was written; nil leaves it to the gazetteer.
    package var place: String?
    package var contactName = Contact()
    package var contactPhone = Contact()
    package var contactEmail = Contact()
    /// The owner's own number for it, such as a shelter's; unique among the owner's listings.
    package var reference: String?

    /// A way to reach the owner, shown to others only where the owner says so.
    package struct Contact: Equatable, Sendable {
        package var value: String?
        package var isPublic = false

        package init(value: String? = nil, isPublic: Bool = false) {
            self.value = value
            self.isPublic = isPublic
        }
    }

    package init() {}

    /// The names on the wire, in the order they are written.
    package static let fieldNames = [
        "status", "species", "name", "breed", "sex", "size", "colour", "age", "microchip", "marks",
        "secret_mark", "description", "last_seen_at", "lon", "lat", "location_precision", "place", "contact_name",
        "contact_name_public",
        "contact_phone",
        "contact_phone_public", "contact_email", "contact_email_public", "reference",
    ]

    /// How many characters a text may have.
    package enum MaxLength {
        package static let name = 80
        package static let breed = 80
        package static let colour = 80
        package static let age = 40
        package static let microchip = 40
        package static let marks = 500
        package static let secretMark = 200
        package static let description = 4000
        package static let place = 120
        package static let contactName = 120
        package static let reference = 80
    }

    /// Sets one field from input; null clears it.
    package mutating func apply(_ field: Field, breeds: Breeds) throws(ServiceError) {
        switch field.name {
        case "status": status = try field.choice(Listing.Status.self)
        case "species": species = try field.choice(Species.self) ?? .dog
        case "name": name = try field.text(atMost: MaxLength.name)
        case "breed":
            (breed, breedKey) = try field.breed(of: breeds)
            breedIsPredicted = false
        case "sex": sex = try field.choice(Listing.Sex.self)
        case "size": size = try field.choice(Listing.Size.self)
        case "colour": colour = try field.text(atMost: MaxLength.colour)
        case "age": age = try field.age()
        case "microchip": microchip = try field.microchip()
        case "marks": marks = try field.text(atMost: MaxLength.marks, lines: true)
        case "secret_mark": secretMark = try field.text(atMost: MaxLength.secretMark)
        case "description": description = try field.text(atMost: MaxLength.description, lines: true)
        case "last_seen_at": lastSeenAt = try field.pastTimestamp()
        case "lon": lon = try field.degrees(within: 180)
        case "lat": lat = try field.degrees(within: 90)
        case "location_precision": locationPrecision = try field.choice(LocationPrecision.self) ?? .approximate
        case "place": place = try field.text(atMost: MaxLength.place)
        case "contact_name": contactName.value = try field.text(atMost: MaxLength.contactName)
        case "contact_name_public": contactName.isPublic = try field.flag()
        case "contact_phone": contactPhone.value = try field.phone()
        case "contact_phone_public": contactPhone.isPublic = try field.flag()
        case "contact_email": contactEmail.value = try field.email()
        case "contact_email_public": contactEmail.isPublic = try field.flag()
        case "reference": reference = try field.text(atMost: MaxLength.reference)
        default: throw .invalid(field.name, "is not a field of a listing")
        }
    }

    /// What its owner sees before editing. The point of a town is left to the town again.
    package init(editing listing: Listing) {
        self = listing.content
        place = listing.location.place
        locationPrecision = listing.location.precision
        let point = listing.location.exact ?? (listing.location.approximate ? nil : listing.location.coordinate)
        (lon, lat) = (point?.lon, point?.lat)
    }

    /// Takes the contacts left out from the owner's profile.
    package mutating func prefill(from account: Account, given: Set<String>) {
        if !given.contains("contact_name") { contactName.value = account.profile.fullName }
        if !given.contains("contact_phone") { contactPhone.value = account.profile.phone }
        if !given.contains("contact_email") { contactEmail.value = account.email }
    }

    /// Completes the place: names for a point, a point for a name.
    package func located(by finder: any PlaceFinder, language: Language) throws -> ListingLocation {
        if let point = try point() {
            let isHidden = locationPrecision == .approximate
            let shown = isHidden ? point.cellCentre : point
            var location = ListingLocation(
                coordinate: shown,
                approximate: isHidden,
                // Not after the point itself: near a border its names would tell on which side it is.
                named: try finder.place(at: shown, language: language)
            )
            if isHidden { location.exact = point }
            if let place, try !isHidden || !isTown(place, of: point, by: finder) { location.place = place }
            return location
        }
        guard let place else {
            throw ServiceError.invalid("place", "expected a point (lon and lat) or the name of a town")
        }
        guard let found = try finder.place(named: place, language: language) else {
            throw ServiceError.invalid(
                "place",
                "expected a known town, like Fisciano or Fisciano (SA); or give lon and lat"
            )
        }
        return ListingLocation(coordinate: found.coordinate, approximate: true, named: found)
    }

    /// Whether somebody's device named the place by the point, or by its cell. Neither is kept as a name, nor the one and not the
    /// other: the cell is named again in one way.
    private func isTown(_ place: String, of point: Coordinate, by finder: any PlaceFinder) throws -> Bool {
        try [point, point.cellCentre].contains { try finder.isTown(place, at: $0) }
    }

    private func point() throws(ServiceError) -> Coordinate? {
        switch (lon, lat) {
        case (nil, nil): return nil
        case (let lon?, let lat?): return Coordinate(lon: lon, lat: lat)
        case (nil, _): throw .invalid("lon", "expected together with lat")
        case (_, nil): throw .invalid("lat", "expected together with lon")
        }
    }
}

extension Field {
    fileprivate func degrees(within limit: Double) throws(ServiceError) -> Double? {
        let expectation = "expected degrees between -\(Int(limit)) and \(Int(limit))"
        guard let value = try number(expectation) else { return nil }
        guard (-limit...limit).contains(value) else { throw invalid(expectation) }
        return value
    }

    fileprivate func breed(of breeds: Breeds) throws(ServiceError) -> (String?, String?) {
        guard let text = try text(atMost: ListingContent.MaxLength.breed) else { return (nil, nil) }
        if let breed = breeds.breed(key: text) { return (breed.englishName, breed.key) }
        return (text, breeds.breed(named: text)?.key)
    }

    /// Free text like "about 2 years"; a bare number is taken as it is.
    fileprivate func age() throws(ServiceError) -> String? {
        if case .number(let years) = value, (0...100).contains(years) {
            return years == years.rounded() ? String(Int(years)) : String(years)
        }
        return try text(atMost: ListingContent.MaxLength.age)
    }

    fileprivate func microchip() throws(ServiceError) -> String? {
        guard let text = try text(atMost: ListingContent.MaxLength.microchip) else { return nil }
        do {
            return try Microchip(parsing: text).number
        } catch {
            throw ServiceError(.invalid, error.message, field: name)
        }
    }

    /// Phones' clocks run ahead by minutes, not by days.
    fileprivate func pastTimestamp() throws(ServiceError) -> Timestamp? {
        guard let time = try timestamp() else { return nil }
        guard time <= Timestamp.now.adding(seconds: 3600) else { throw invalid("expected a time that is past") }
        return time
    }
}
