/// The content that the owner of a listing writes and can edit.
package struct ListingContent: Equatable, Sendable {
    package var status: Listing.Status?
    package var species = Species.dog
    /// The key of the breed in the breed list; nil if the text matches no breed of the list.
    package var breedKey: String?
    /// The breeds by which searches find the listing; nil if the words have not been read yet.
    package var breeds: ListingBreeds?
    /// Whether the classification model predicted the breed; false if the owner stated it.
    package var breedIsPredicted = false
    package var sex: Listing.Sex?
    package var size: Listing.Size?
    package var lastSeenAt: Timestamp?
    /// Whether only the day is known. `lastSeenAt` is then noon of this day by the Sun: at the prime meridian until `setDay`
    /// moves it to the place of the listing.
    package var lastSeenIsDay = false
    package var lon: Double?
    package var lat: Double?
    /// Approximate by default, so that a listing does not reveal where its owner lives.
    package var locationPrecision = LocationPrecision.approximate
    /// Indexed by the raw value of the field.
    private var texts = [String?](repeating: nil, count: ListingField.count)
    /// The flags that are set.
    private var flags: Set<ListingField> = []

    /// A contact of the owner. Other people see it only if the owner makes it public.
    package struct Contact: Equatable, Sendable {
        package var value: String?
        package var isPublic = false

        package init(value: String? = nil, isPublic: Bool = false) {
            self.value = value
            self.isPublic = isPublic
        }
    }

    package init() {}

    /// The text of a field; nil for fields of other kinds.
    package subscript(field: ListingField) -> String? {
        get { texts[field.rawValue] }
        set { texts[field.rawValue] = newValue }
    }

    /// The value of any field, as JSON that `apply` accepts.
    package func value(of field: ListingField) -> JSONValue {
        switch field {
        case .status: JSONValue(status?.rawValue)
        case .species: .string(species.rawValue)
        case .sex: JSONValue(sex?.rawValue)
        case .size: JSONValue(size?.rawValue)
        case .lastSeenAt: JSONValue(lastSeenAt?.text)
        case .lon: lon.map(JSONValue.number) ?? .null
        case .lat: lat.map(JSONValue.number) ?? .null
        case .locationPrecision: .string(locationPrecision.rawValue)
        case _ where field.kind == .flag: .bool(flags.contains(field))
        default: JSONValue(self[field])
        }
    }

    /// Sets one field from input; null clears it.
    package mutating func apply(_ input: Field, breeds: Breeds) throws(ServiceError) {
        guard let field = ListingField(name: input.name) else { throw input.invalid("is not a field of a listing") }
        switch field {
        case .status: status = try input.choice(Listing.Status.self)
        case .species: species = try input.choice(Species.self) ?? .dog
        case .breed:
            (breed, breedKey) = try input.breed(of: breeds)
            breedIsPredicted = false
        case .sex: sex = try input.choice(Listing.Sex.self)
        case .size: size = try input.choice(Listing.Size.self)
        case .lastSeenAt:
            let day = input.day
            if let day { lastSeenAt = day.noon(at: 0) } else { lastSeenAt = try input.pastTimestamp() }
            lastSeenIsDay = day != nil
        case .lon: lon = try input.degrees(of: field.kind)
        case .lat: lat = try input.degrees(of: field.kind)
        case .locationPrecision: locationPrecision = try input.choice(LocationPrecision.self) ?? .approximate
        case .contactNamePublic, .contactPhonePublic, .contactEmailPublic: self[flag: field] = try input.flag()
        default: self[field] = try input.text(of: field.kind)
        }
    }

    /// Whether a flag is set.
    package subscript(flag field: ListingField) -> Bool {
        get { flags.contains(field) }
        set { if newValue { flags.insert(field) } else { flags.remove(field) } }
    }

    /// The initial content of the edit form. It has no coordinates if the location came from the name of the town, so
    /// that the gazetteer derives the position from the name again.
    package init(editing listing: Listing) {
        self = listing.content
        place = listing.location.place
        locationPrecision = listing.location.precision
        let point = listing.location.exact ?? (listing.location.approximate ? nil : listing.location.coordinate)
        (lon, lat) = (point?.lon, point?.lat)
        if let day = listing.lastSeenDay { lastSeenAt = day.noon(at: 0) }
    }

    /// Fills in contacts from the owner's profile, except those whose field names are in `given`.
    package mutating func prefill(from account: Account, given: Set<String>) {
        if !given.contains("contact_name") { contactName.value = account.profile.fullName }
        if !given.contains("contact_phone") { contactPhone.value = account.profile.phone }
        if !given.contains("contact_email") { contactEmail.value = account.email }
    }

    /// Moves a street or landmark from `place` to `whereabouts`: "Via Roma 3, Fisciano". With a point, the town is derived from
    /// it if `place` is nothing else.
    ///
    /// - Parameter replacesStreet: whether the street replaces that of an earlier version, which may be in another town.
    /// - Throws: `invalid` if both together are too long, or if there is no point and the address is of no known town.
    package mutating func readAddress(
        _ finder: any PlaceFinder,
        language: Language,
        replacesStreet: Bool = false
    ) throws {
        guard let place, !AddressReader.shared.addresses(in: place).isEmpty || AddressReader.shared.isWhereabouts(place)
        else { return }
        let (match, address) = try finder.address(place, language: language)
        if replacesStreet, address != nil { whereabouts = nil }
        if let address {
            self.place = address.town
            try addWhereabouts(address.whereabouts)
        } else if case .unclear(let candidates) = match, lon == nil, lat == nil {
            throw ServiceError.unclearTown(candidates)
        } else if case .unclear = match, AddressReader.shared.isWhereabouts(place) {
            self.place = nil
            try addWhereabouts(place)
        }
    }

    private mutating func addWhereabouts(_ text: String) throws(ServiceError) {
        if whereabouts?.folded.contains(text.folded) == true { return }
        let own = whereabouts.flatMap { text.folded.contains($0.folded) ? nil : $0 }
        let whole = [text, own].compactMap(\.self).joined(separator: ", ")
        let most = ListingField.whereabouts.maxLength
        guard whole.count <= most else {
            throw .invalid("whereabouts", "expected at most \(most) characters together with the street in place")
        }
        whereabouts = whole
    }

    /// Completes the location with the gazetteer: derives names from a point, or a point from a name.
    package func located(by finder: any PlaceFinder, language: Language) throws -> ListingLocation {
        if let point = try point() {
            let isHidden = locationPrecision == .approximate
            let shown = isHidden ? point.cellCentre : point
            // The exact point is not looked up because near a border, its names would reveal the side it is on.
            let named = try finder.place(at: shown, language: language)
            if let place { try finder.expectTown(place, near: shown, named, language: language) }
            var location = ListingLocation(coordinate: shown, approximate: isHidden, named: named)
            if isHidden { location.exact = point }
            if let place, try !isHidden || !isTown(place, of: point, by: finder) { location.place = place }
            return location
        }
        guard let place else {
            throw ServiceError.invalid("place", "expected a point (lon and lat) or the name of a town")
        }
        switch try finder.town(named: place, language: language) {
        case .town(let town):
            guard let whereabouts, let point = try finder.position(of: whereabouts, in: town) else {
                return ListingLocation(coordinate: town.coordinate, approximate: true, named: town)
            }
            var location = ListingLocation(coordinate: point.cellCentre, approximate: true, named: town)
            location.exact = point
            return location
        case .unclear(let candidates): throw ServiceError.unclearTown(candidates)
        }
    }

    /// Returns whether the place is the name of the town at the point or at the centre of its cell. Clients derive such
    /// names from the point. Neither name is stored, because storing only one of them would reveal more about the
    /// point than its cell; the gazetteer names the cell instead.
    private func isTown(_ place: String, of point: Coordinate, by finder: any PlaceFinder) throws -> Bool {
        try [point, point.cellCentre].contains { try finder.isTown(place, at: $0) }
    }

    /// Moves a day to the noon of the listing's place.
    package mutating func setDay(at location: ListingLocation) throws(ServiceError) {
        let lon = location.coordinate.lon
        guard lastSeenIsDay, let day = lastSeenAt.flatMap({ CalendarDay(of: $0, at: 0) }) else { return }
        let today = CalendarDay(of: Timestamp.now.adding(seconds: 3600), at: lon)
        guard let today, day.daysSince1970 <= today.daysSince1970 else {
            throw .invalid(ListingField.lastSeenAt.name, "expected a day that is past, or today")
        }
        lastSeenAt = day.noon(at: lon)
    }

    /// The point that the fields state.
    package func point() throws(ServiceError) -> Coordinate? {
        switch (lon, lat) {
        case (nil, nil): return nil
        case (let lon?, let lat?): return Coordinate(lon: lon, lat: lat)
        case (nil, _): throw .invalid("lon", "expected together with lat")
        case (_, nil): throw .invalid("lat", "expected together with lon")
        }
    }
}

/// Fields that other code accesses by name.
extension ListingContent {
    package var name: String? {
        get { self[.name] }
        set { self[.name] = newValue }
    }

    /// The breed as the owner wrote it.
    package var breed: String? {
        get { self[.breed] }
        set { self[.breed] = newValue }
    }

    package var description: String? {
        get { self[.description] }
        set { self[.description] = newValue }
    }

    /// The town as the owner wrote it; nil if the gazetteer has to derive it from the point.
    package var place: String? {
        get { self[.place] }
        set { self[.place] = newValue }
    }

    /// A street or landmark, as the owner wrote it.
    package var whereabouts: String? {
        get { self[.whereabouts] }
        set { self[.whereabouts] = newValue }
    }

    package var contactName: Contact {
        get { contact(.contactName, .contactNamePublic) }
        set { setContact(.contactName, .contactNamePublic, newValue) }
    }

    package var contactPhone: Contact {
        get { contact(.contactPhone, .contactPhonePublic) }
        set { setContact(.contactPhone, .contactPhonePublic, newValue) }
    }

    package var contactEmail: Contact {
        get { contact(.contactEmail, .contactEmailPublic) }
        set { setContact(.contactEmail, .contactEmailPublic, newValue) }
    }

    private func contact(_ text: ListingField, _ flag: ListingField) -> Contact {
        Contact(value: self[text], isPublic: self[flag: flag])
    }

    private mutating func setContact(_ text: ListingField, _ flag: ListingField, _ contact: Contact) {
        self[text] = contact.value
        self[flag: flag] = contact.isPublic
    }
}

extension JSONValue {
    fileprivate init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}

extension Field {
    /// Parses a field whose value is stored as text.
    fileprivate func text(of kind: ListingField.Kind) throws(ServiceError) -> String? {
        switch kind {
        case .text(let length), .breed(let length): try text(atMost: length)
        case .lines(let length): try text(atMost: length, lines: true)
        case .age(let length): try age(atMost: length)
        case .microchip(let length): try microchip(atMost: length)
        case .phone: try phone()
        case .email: try email()
        case .choice, .time, .degrees, .flag: preconditionFailure("\(name) is no text")
        }
    }

    fileprivate func degrees(of kind: ListingField.Kind) throws(ServiceError) -> Double? {
        guard case .degrees(let limit) = kind else { preconditionFailure("\(name) is not in degrees") }
        return try degrees(within: limit)
    }

    package func degrees(within limit: Double) throws(ServiceError) -> Double? {
        let expectation: ErrorMessage = "expected degrees between -\(Int(limit)) and \(Int(limit))"
        guard let value = try number(orElse: expectation) else { return nil }
        guard (-limit...limit).contains(value) else { throw invalid(expectation) }
        return value
    }

    fileprivate func breed(of breeds: Breeds) throws(ServiceError) -> (String?, String?) {
        guard let text = try text(of: ListingField.breed.kind) else { return (nil, nil) }
        if let breed = breeds.breed(key: text) { return (breed.name, breed.key) }
        return (text, breeds.breed(named: text)?.key)
    }

    /// Parses free text such as "about 2 years", or a JSON number of years from 0 to 100.
    fileprivate func age(atMost length: Int) throws(ServiceError) -> String? {
        if case .number(let years) = value, (0...100).contains(years) {
            return years == years.rounded() ? String(Int(years)) : String(years)
        }
        return try text(atMost: length)
    }

    fileprivate func microchip(atMost length: Int) throws(ServiceError) -> String? {
        guard let text = try text(atMost: length) else { return nil }
        do {
            return try Microchip(parsing: text).number
        } catch {
            throw ServiceError(.invalid, error.message, field: name)
        }
    }

    /// The day, if the value is a day without a time, such as `2026-05-01`.
    fileprivate var day: CalendarDay? {
        guard case .string(let text) = value else { return nil }
        return CalendarDay(parsing: text)
    }

    /// Parses a time in the past. Times up to one hour in the future are valid because clocks of phones can be fast by
    /// minutes.
    package func pastTimestamp() throws(ServiceError) -> Timestamp? {
        guard let time = try timestamp() else { return nil }
        guard time <= Timestamp.now.adding(seconds: 3600) else { throw invalid("expected a time that is past") }
        return time
    }
}
