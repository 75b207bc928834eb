package import Domain
package import Foundation

/// The form that posts or edits a listing.
package struct ListingForm: Page {
    package let template = "form"
    package let section = PageSection.post
    /// Nil for a new one.
    let listing: Listing?
    /// By field, as people write it.
    package let values: [String: String]
    let problem: ServiceError?

    /// An empty form, with the contacts of the profile.
    package init(for account: Account?) {
        listing = nil
        problem = nil
        var content = ListingContent()
        if let account { content.prefill(from: account, given: []) }
        values = Self.values(content).merging(["id": UUID().uuidString.lowercased(), "species": "dog"]) { $1 }
    }

    /// A listing to change.
    package init(editing listing: Listing) {
        self.listing = listing
        problem = nil
        values = Self.values(ListingContent(editing: listing)).merging(["version": String(listing.version)]) { $1 }
    }

    /// What was sent and refused, to be put right.
    package init(_ listing: Listing?, typed: [String: String], problem: ServiceError) {
        self.listing = listing
        self.problem = problem
        values = typed
    }

    package func content(_ compose: PageBuilder) -> [String: any Sendable] {
        let localizer = compose.localizer
        let own = listing.map { compose.path("/listings/\($0.id.uuidString.lowercased())") }
        let heading = localizer(listing == nil ? "post.title" : "post.editTitle")
        let name = listing.map { localizer.name($0.content) } ?? ""
        return [
            "title": heading, "heading": heading, "isNew": listing == nil, "f": values,
            // As it was typed it stays.
            "seenAt": problem == nil ? listing?.content.lastSeenAt?.text ?? "" : "",
            "action": own.map { $0 + "/edit" } ?? compose.path("/post"), "back": own ?? "",
            "submit": localizer(listing == nil ? "post.submit" : "post.save"),
            "problem": problem.map(localizer.problem) ?? "",
            "problemField": problem?.field ?? "status",
            "photos": listing?.photos.map { $0.content(compose, name: name, of: 2) } ?? [],
            "statuses": compose.options(
                Listing.Status.self,
                "status",
                selected: values["status"].flatMap(Listing.Status.init),
                among: listing == nil ? Listing.Status.open : Array(Listing.Status.allCases)
            ),
            "species": compose.options(Species.self, "species", selected: values["species"].flatMap(Species.init)),
            "sexes": compose.options(Listing.Sex.self, "sex", selected: values["sex"].flatMap(Listing.Sex.init)),
            "sizes": compose.options(Listing.Size.self, "size", selected: values["size"].flatMap(Listing.Size.init)),
            "isExact": values["location_precision"] == LocationPrecision.exact.rawValue,
            "contacts": [
                contact("contact_name", type: "text", autocomplete: "name", most: 120, localizer),
                contact("contact_phone", type: "tel", autocomplete: "tel", most: 40, localizer),
                contact("contact_email", type: "email", autocomplete: "email", most: 254, localizer),
            ],
        ]
    }

    private func contact(
        _ field: String,
        type: String,
        autocomplete: String,
        most: Int,
        _ localizer: Localizer
    ) -> [String: any Sendable] {
        [
            "field": field, "type": type, "autocomplete": autocomplete, "most": most,
            "label": localizer("field.\(field)"), "showLabel": localizer("post.show.\(field)"),
            "value": values[field] ?? "", "isPublic": values["\(field)_public"] == "yes",
        ]
    }

    private static func values(_ content: ListingContent) -> [String: String] {
        let contacts = [
            ("contact_name", content.contactName), ("contact_phone", content.contactPhone),
            ("contact_email", content.contactEmail),
        ]
        var values = [
            "status": content.status?.rawValue, "species": content.species.rawValue, "name": content.name,
            "breed": content.breed, "sex": content.sex?.rawValue, "size": content.size?.rawValue,
            "colour": content.colour, "age": content.age, "marks": content.marks, "secret_mark": content.secretMark,
            "description": content.description, "microchip": content.microchip, "place": content.place,
            "lon": content.lon.map { String($0) }, "lat": content.lat.map { String($0) },
            "last_seen_at": content.lastSeenAt?.localInput, "location_precision": content.locationPrecision.rawValue,
        ].compactMapValues(\.self)
        for (field, contact) in contacts {
            values[field] = contact.value
            values["\(field)_public"] = contact.isPublic ? "yes" : nil
        }
        return values
    }
}

extension Timestamp {
    /// As `<input type=datetime-local>` has it, in the time zone of the server.
    fileprivate var localInput: String {
        let style = Date.ISO8601FormatStyle(timeZone: .current).year().month().day().time(
            includingFractionalSeconds: false
        )
        return String(date.formatted(style).prefix(16))
    }

    /// What came from such an input; nil for anything else.
    ///
    /// - Parameter zone: where it was typed.
    package init?(localInput text: String, zone: TimeZone) {
        let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(includingFractionalSeconds: false)
        let whole = text.count == 16 ? text + ":00" : text
        guard let date = try? Date(whole, strategy: style) else { return nil }
        self.init(date)
    }
}
