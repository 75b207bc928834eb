/// Creates and edits listings from input fields, using the breed list and the gazetteer.
package struct ListingEditor: Sendable {
    package let breeds: Breeds
    package let finder: any PlaceFinder
    package let language: Language

    package init(breeds: Breeds, finder: any PlaceFinder, language: Language = .english) {
        (self.breeds, self.finder, self.language) = (breeds, finder, language)
    }

    /// Creates a listing. Missing contacts are taken from the owner's profile, if an owner is given.
    package func create(_ fields: [String: JSONValue], owner: Account?) throws -> (ListingContent, ListingLocation) {
        var content = ListingContent()
        var fields = fields
        let isConfirmed = try fields.takePointConfirmation()
        try apply(fields, to: &content)
        if let owner { content.prefill(from: owner, given: Set(fields.keys)) }
        try requireStatus(content)
        try content.readAddress(finder, language: language)
        if let point = try content.point() { try expectPlausible(point, isConfirmed) }
        let location = try content.located(by: finder, language: language)
        try complete(&content, fields, location)
        return (content, location)
    }

    /// Changes the given fields of a listing (JSON Merge Patch, RFC 7396): null clears a field, and fields that are not
    /// given remain.
    package func edit(_ listing: Listing, _ fields: [String: JSONValue]) throws -> (ListingContent, ListingLocation) {
        var content = ListingContent(editing: listing)
        let oldPoint = try content.point()
        var fields = fields
        let isConfirmed = try fields.takePointConfirmation()
        try apply(fields, to: &content)
        try requireStatus(content)
        if fields["place"] != nil {
            let replacesStreet = fields[ListingField.whereabouts.name] == nil
            try content.readAddress(finder, language: language, replacesStreet: replacesStreet)
        }
        let moved = fields["lon"] != nil || fields["lat"] != nil
        let isSame = content.locationPrecision == listing.location.precision || content.lon == nil
        guard moved || !isSame || fields["place"] != nil else {
            try complete(&content, fields, listing.location)
            return (content, listing.location)
        }
        if let point = try content.point(), point != oldPoint { try expectPlausible(point, isConfirmed) }
        // Removes the old town if it does not describe the new point, or if it was derived from the exact point, which
        // is now replaced by its cell.
        let isOutdated = try moved || !isSame && isNamedAfterPoint(listing.location)
        if isOutdated, fields["place"] == nil, content.lon != nil || content.lat != nil { content.place = nil }
        let location = try content.located(by: finder, language: language)
        try complete(&content, fields, location)
        return (content, location)
    }

    /// Reads what depends on the place.
    private func complete(
        _ content: inout ListingContent,
        _ fields: [String: JSONValue],
        _ location: ListingLocation
    ) throws(ServiceError) {
        try content.setDay(at: location)
        try expectPossiblePhone(fields, content, location)
    }

    /// Does not look at a number that is not given: that of a profile may be of another country, and the listing may have moved.
    private func expectPossiblePhone(
        _ fields: [String: JSONValue],
        _ content: ListingContent,
        _ location: ListingLocation
    ) throws(ServiceError) {
        let name = ListingField.contactPhone.name
        guard fields[name] != nil else { return }
        try TelephoneNumber.expectPossible(content.contactPhone.value, in: location.countryCode, field: name)
    }

    private func expectPlausible(_ point: Coordinate, _ isConfirmed: Bool) throws {
        try finder.expectPlausible(point, isConfirmed: isConfirmed, language: language)
    }

    /// Returns whether the town was derived by the gazetteer, not stated by the owner.
    private func isNamedAfterPoint(_ location: ListingLocation) throws -> Bool {
        guard let place = location.place else { return false }
        return try finder.isTown(place, at: location.coordinate)
    }

    private func apply(_ fields: [String: JSONValue], to content: inout ListingContent) throws(ServiceError) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            try content.apply(Field(name, value), breeds: breeds)
        }
        if fields["breed"] != nil || fields["species"] != nil { try reconcileBreed(&content) }
        content.readBreeds(breeds)
    }

    /// Removes a breed of another species if a model predicted it, and refuses one that the owner stated, unless the words name
    /// one of the right species as well: "Siberiano" is a husky or a cat. Animals of every species are crosses.
    private func reconcileBreed(_ content: inout ListingContent) throws(ServiceError) {
        guard let breed = content.breedKey.flatMap({ breeds.breed(key: $0) }), breed.species != content.species,
            content.breedIsPredicted || !breed.isPossible(for: content.species)
        else { return }
        guard content.breedIsPredicted else {
            guard let own = content.breed.flatMap({ breeds.breed(with: $0, of: content.species) }) else {
                throw breed.refusal(as: content.species)
            }
            content.breedKey = own.key
            return
        }
        (content.breed, content.breedKey, content.breedIsPredicted) = (nil, nil, false)
    }

    private func requireStatus(_ content: ListingContent) throws(ServiceError) {
        guard content.status == nil else { return }
        let statuses = Listing.Status.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid("status", "expected one of \(statuses)")
    }
}
