/// Makes listings of what people and files give, with the breed list and the gazetteer at hand.
package struct ListingEditor: Sendable {
    package let breeds: Breeds
    package let finder: any PlaceFinder
    package let language: Language

    package init(breeds: Breeds, finder: any PlaceFinder, language: Language = .english) {
        self.breeds = breeds
        self.finder = finder
        self.language = language
    }

    /// A new listing; contacts left out come from the owner's profile, where there is one.
    package func create(
        _ fields: [String: JSONValue],
        owner: Account?
    ) throws -> (ListingContent, ListingLocation) {
        var content = ListingContent()
        try apply(fields, to: &content)
        if let owner { content.prefill(from: owner, given: Set(fields.keys)) }
        try requireStatus(content)
        return (content, try content.located(by: finder, language: language))
    }

    /// A listing with the given fields changed (RFC 7396): null clears, what is left out stays.
    package func edit(
        _ listing: Listing,
        _ fields: [String: JSONValue]
    ) throws -> (ListingContent, ListingLocation) {
        var content = ListingContent(editing: listing)
        try apply(fields, to: &content)
        try requireStatus(content)
        let moved = fields["lon"] != nil || fields["lat"] != nil
        let isSame = content.locationPrecision == listing.location.precision || content.lon == nil
        guard moved || !isSame || fields["place"] != nil else { return (content, listing.location) }
        // The old town does not name the new point, nor one found from a point the cell around it.
        let isOutdated = try moved || !isSame && isNamedAfterPoint(listing.location)
        if isOutdated, fields["place"] == nil, content.lon != nil || content.lat != nil { content.place = nil }
        return (content, try content.located(by: finder, language: language))
    }

    /// Whether its town is the gazetteer's word, not the owner's.
    private func isNamedAfterPoint(_ location: ListingLocation) throws -> Bool {
        guard let place = location.place else { return false }
        return try finder.isTown(place, at: location.coordinate)
    }

    private func apply(_ fields: [String: JSONValue], to content: inout ListingContent) throws(ServiceError) {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            try content.apply(Field(name, value), breeds: breeds)
        }
    }

    private func requireStatus(_ content: ListingContent) throws(ServiceError) {
        guard content.status == nil else { return }
        let statuses = Listing.Status.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid("status", "expected one of \(statuses)")
    }
}
