package import Domain
package import Foundation
import Localization
package import Matching
import Mustache

/// The texts of the inputs of the form that posts or edits a listing, by field name.
package enum ListingForm {
    /// The fields of the form. The reference number is for imports and the API only.
    package static let fields = ListingField.allCases.filter { $0 != .reference }

    /// The name of the input with the town that was chosen among candidates.
    package static let placeChoice = "place_choice"
    /// The name of the input with the point that was chosen among candidates: longitude and latitude with a comma.
    package static let pointChoice = "point_choice"
    /// The name of the input with the missing animal that somebody saw: the ID of its listing or `sameAsNone`.
    package static let sameAs = "same_as"
    package static let sameAsNone = "none"

    /// The texts for a new listing, with the contacts of the account's profile.
    package static func values(for account: Account?) -> [String: String] {
        var content = ListingContent()
        if let account { content.prefill(from: account, given: []) }
        return values(content, in: .current).merging(["key": UUID().uuidString.lowercased(), "species": "dog"]) { $1 }
    }

    /// - Parameter zone: The time zone of the listing's place, in which times are shown.
    package static func values(editing listing: Listing, in zone: TimeZone) -> [String: String] {
        values(ListingContent(editing: listing), in: zone).merging(["version": String(listing.version)]) { $1 }
    }

    private static func values(_ content: ListingContent, in zone: TimeZone) -> [String: String] {
        var values: [String: String] = [:]
        for field in fields {
            switch content.value(of: field) {
            case .string(let text): values[field.name] = text
            case .number(let number): values[field.name] = String(number)
            case .bool(true): values[field.name] = "yes"
            case .bool(false), .null, .array, .object: break
            }
        }
        values["last_seen_at"] = content.lastSeenAt.map { time in
            content.lastSeenIsDay ? String(time.text.prefix(10)) : time.localInput(in: zone)
        }
        return values
    }

    /// The name of the input that the problem is about; nil if it is about none of this form.
    fileprivate static func input(of problem: ServiceError?) -> String? {
        guard let problem else { return nil }
        if problem.isAboutPhoto { return "photo" }
        switch problem.field {
        case "lon", "lat": return ListingField.place.name
        case let field? where ListingField(name: field).map(fields.contains) == true: return field
        default: return nil
        }
    }

    /// The fields that come first for whoever has lost an animal, holds one, or has seen one pass by.
    fileprivate static func leading(_ status: Listing.Status?) -> [ListingField] {
        switch status {
        case .lost: [.name, .reward]
        case .found: [.microchip]
        case .sighted: [.size, .colour]
        case .reunited, .closed, nil: []
        }
    }

    /// The fields that are always visible. The others are folded until they are needed.
    private static let first: Set<ListingField> = [
        .status, .species, .place, .whereabouts, .lon, .lat, .lastSeenAt, .contactPhone, .contactPhonePublic,
        .locationPrecision,
    ]

    /// Whether the input of a rejected request has to do with other fields.
    fileprivate static func isUnfolded(_ inputs: Inputs) -> Bool {
        guard inputs.problem != nil else { return false }
        if let field = inputs.wrong.flatMap(ListingField.init(name:)), !first.contains(field) { return true }
        return fields.contains { !first.contains($0) && inputs.values[$0.name] != nil }
    }
}

/// The form that posts or edits a listing.
package struct ListingFormView: PageView {
    package static let template = "form"
    let heading, action, submit: String
    let key, version, back, problem, problemField: String?
    /// The time for the conversion to the browser's time zone.
    let seenAt: String?
    let seenType: String
    let isNew, isUnfolded, isExact: Bool
    /// Whether there are photos to choose the first one among.
    let canOrder: Bool
    let owners, statuses, species: [OptionView]
    let photos: [PhotoView]
    let photo, status, seen, whereabouts: InputView
    let place: PlaceInputView
    let spot: SpotInputView
    /// The fields that the case at hand needs first.
    let leadingInputs: [FieldInputView]
    let shortInputs, wideInputs: [FieldInputView]
    let mainContact: ContactInputView
    let otherContacts: [ContactInputView]
    /// The missing animals that a seen one may be.
    let lookalikes: [LookalikeView]

    struct LookalikeView: TemplateView {
        let id, href, headline, summary, likely: String
        let photo: PhotoView?
    }

    struct FieldInputView: TemplateView {
        let field, label: String
        let value, placeholder, hint, error: String?
        let most: Int
        let options: [OptionView]
        /// Nil for an input of one line, which would drop line breaks.
        let rows: Int?
        let isText, isBreed, isNumber, isPrivate: Bool
    }

    struct ContactInputView: TemplateView {
        let field, type, autocomplete, label, showLabel: String
        let value, error: String?
        let most: Int
        let isPublic, isPhone: Bool
    }
}

extension PageBuilder {
    /// - Parameters:
    ///   - listing: the listing to edit; nil for a new listing.
    ///   - values: the texts of the inputs, by field name.
    ///   - problem: why the request with these texts was rejected.
    ///   - lookalikes: the missing animals that a seen one may be, about which the form asks.
    ///   - memberships: the organisations for which the viewer may post.
    package func form(
        _ listing: Listing?,
        _ values: [String: String],
        problem: ServiceError? = nil,
        lookalikes: [PossibleMatch<Listing>] = [],
        memberships: [Organisation.Membership] = []
    ) -> ListingFormView {
        let own = listing.map { listingPath($0.id) }
        let isDay = listing?.content.lastSeenIsDay == true
        let status = listing == nil ? Listing.Status.open.first { $0.rawValue == values["status"] } : nil
        let leading = ListingForm.leading(status)
        let name = listing.map { localizer.name($0.content) } ?? ""
        let wrong = ListingForm.input(of: problem)
        let inputs = Inputs(values: values, problem: problem.map(localizer.problem), wrong: wrong)
        return ListingFormView(
            heading: status.map { localizer("door.\($0.rawValue)") }
                ?? localizer(listing == nil ? "post.title" : "post.editTitle"),
            action: own.map { $0 + "/edit" } ?? path("/post"),
            submit: localizer(
                !lookalikes.isEmpty ? "lookalike.submit" : listing == nil ? "post.submit" : "post.save"
            ), key: values["key"],
            version: values["version"], back: own, problem: inputs.problem, problemField: wrong,
            // After a rejected request, the input keeps the typed local time.
            seenAt: problem == nil && !isDay ? listing?.content.lastSeenAt?.text : nil,
            seenType: isDay ? "date" : "datetime-local",
            isNew: listing == nil,
            isUnfolded: listing != nil || ListingForm.isUnfolded(inputs),
            isExact: values["location_precision"] == LocationPrecision.exact.rawValue,
            canOrder: (listing?.photos.count ?? 0) > 1,
            owners: listing == nil ? owners(memberships, selected: values["organisation"]) : [],
            statuses: listing == nil
                ? options(Listing.Status.open, "post.status", selected: values["status"])
                : options(Listing.Status.allCases, "status", selected: values["status"]),
            species: options(Species.allCases, "species", selected: values["species"]),
            photos: listing.map { photos(of: $0, name: name, count: 2) } ?? [],
            photo: inputs["photo"], status: inputs["status"], seen: inputs["last_seen_at"],
            whereabouts: inputs["whereabouts"],
            place: PlaceInputView(inputs, problem), spot: SpotInputView(lon: values["lon"], lat: values["lat"]),
            leadingInputs: leading.map { input($0, inputs) },
            shortInputs: Self.fields(.everybody, [.heading, .fact], without: leading).map { input($0, inputs) },
            wideInputs: (Self.fields(.everybody, [.paragraph], without: leading)
                + Self.fields(.owner, [.fact, .paragraph], without: leading)).map { input($0, inputs) },
            mainContact: contact(.contactPhone, type: "tel", autocomplete: "tel", inputs),
            otherContacts: [
                contact(.contactName, type: "text", autocomplete: "name", inputs),
                contact(.contactEmail, type: "email", autocomplete: "email", inputs),
            ],
            lookalikes: lookalikes.map(lookalike)
        )
    }

    private func lookalike(_ match: PossibleMatch<Listing>) -> ListingFormView.LookalikeView {
        let listing = match.value
        let facts = [
            localizer.status(listing.content.status), localizer.place(listing.location),
            distance(match.distance, to: listing), localizer.seenAgo(listing),
        ]
        return ListingFormView.LookalikeView(
            id: listing.id.uuidString.lowercased(), href: listingPath(listing.id),
            headline: localizer.headline(listing.content), summary: facts.joined(separator: " · "),
            likely: reasons(match).likely,
            photo: listing.photos.first.map { photo($0, name: localizer.name(listing.content), of: 1) }
        )
    }

    /// The organisations to choose from.
    func owners(_ memberships: [Organisation.Membership], selected: String?) -> [OptionView] {
        memberships.map { membership in
            let id = membership.organisation.id.uuidString.lowercased()
            return OptionView(value: id, label: membership.organisation.content.name, selected: selected == id)
        }
    }

    private static func fields(
        _ access: ListingField.Access,
        _ displays: [ListingField.Display],
        without leading: [ListingField]
    ) -> [ListingField] {
        ListingField.allCases.filter { field in
            !leading.contains(field) && field.access == access
                && field.definition.display.map(displays.contains) == true
        }
    }

    /// The hint of a public field is an example inside the input. The hint of a private field is a text below the input
    /// that explains the privacy.
    private func input(_ field: ListingField, _ inputs: Inputs) -> ListingFormView.FieldInputView {
        let (hint, isPrivate, value) = (localizer.hint(of: field), field.access == .owner, inputs[field.name].value)
        var options: [OptionView] = []
        var rows: Int?
        switch field.kind {
        case .choice(let choices):
            options = self.options(choices, field.name, selected: value)
        case .lines(let length): rows = length > 500 ? 4 : 2
        default: break
        }
        return ListingFormView.FieldInputView(
            field: field.name, label: localizer("field.\(field.name)"), value: value,
            placeholder: isPrivate ? nil : hint, hint: isPrivate ? hint : nil, error: inputs[field.name].error,
            most: field.maxLength, options: options, rows: rows, isText: options.isEmpty && rows == nil,
            isBreed: field == .breed, isNumber: field == .microchip, isPrivate: isPrivate
        )
    }

    private func contact(
        _ field: ListingField,
        type: String,
        autocomplete: String,
        _ inputs: Inputs
    ) -> ListingFormView.ContactInputView {
        ListingFormView.ContactInputView(
            field: field.name, type: type, autocomplete: autocomplete, label: localizer("field.\(field.name)"),
            showLabel: localizer("post.show.\(field.name)"), value: inputs[field.name].value,
            error: inputs[field.name].error, most: field.maxLength,
            isPublic: inputs.values["\(field.name)_public"] == "yes", isPhone: field == .contactPhone
        )
    }
}

extension Timestamp {
    /// Returns the value for `<input type=datetime-local>`.
    func localInput(in zone: TimeZone) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(includingFractionalSeconds: false)
        return String(date.formatted(style).prefix(16))
    }
}
