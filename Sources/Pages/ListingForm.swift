package import Domain
package import Foundation
import Localization
package import Mustache

/// The form that posts or edits a listing.
package struct ListingForm: Page {
    package let template = "form"
    package let section = PageSection.post
    /// The listing to edit; nil for a new listing.
    let listing: Listing?
    /// The texts of the inputs, by field name.
    package let values: [String: String]
    let problem: ServiceError?
    /// The organisations for which the viewer may post.
    package var memberships: [Organisation.Membership] = []

    /// The fields of the form. The reference number is for imports and the API only.
    package static let fields = ListingField.allCases.filter { $0 != .reference }

    /// The name of the input with the town that was chosen among candidates.
    package static let placeChoice = "place_choice"

    /// Creates a form for a new listing with the contacts of the account's profile.
    package init(for account: Account?) {
        listing = nil
        problem = nil
        var content = ListingContent()
        if let account { content.prefill(from: account, given: []) }
        values = Self.values(content, in: .current).merging(["key": UUID().uuidString.lowercased(), "species": "dog"]) {
            $1
        }
    }

    /// - Parameter zone: The time zone of the listing's place, in which times are shown.
    package init(editing listing: Listing, in zone: TimeZone) {
        self.listing = listing
        problem = nil
        values = Self.values(ListingContent(editing: listing), in: zone).merging(["version": String(listing.version)]) {
            $1
        }
    }

    /// Creates a form with the input of a rejected request, so that the user can correct it.
    package init(_ listing: Listing?, typed: [String: String], problem: ServiceError) {
        self.listing = listing
        self.problem = problem
        values = typed
    }

    package func content(_ compose: PageBuilder) -> [String: any TemplateValue] {
        let localizer = compose.localizer
        let own = listing.map { compose.path("/listings/\($0.id.uuidString.lowercased())") }
        let heading = localizer(listing == nil ? "post.title" : "post.editTitle")
        let name = listing.map { localizer.name($0.content) } ?? ""
        let message = problem.map(localizer.problem) ?? ""
        return [
            "title": heading, "heading": heading, "isNew": listing == nil, "f": values.templateValues,
            // After a rejected request, the input keeps the typed local time, so no time is set for conversion to the
            // browser's time zone.
            "seenAt": problem == nil ? listing?.content.lastSeenAt?.text ?? "" : "",
            "action": own.map { $0 + "/edit" } ?? compose.path("/post"), "back": own ?? "",
            "submit": localizer(listing == nil ? "post.submit" : "post.save"),
            "problem": problem.map(localizer.problem) ?? "",
            "problemField": problemInput ?? "",
            "e": problemInput.map { [$0: message] } ?? [:],
            "isUnfolded": isUnfolded,
            "hasOwners": listing == nil && !memberships.isEmpty, "owners": owners,
            "towns": (problem?.candidates ?? []).map { ["name": $0.fullName] },
            "hasTowns": problem?.candidates.isEmpty == false,
            "photos": listing?.photos.map { $0.content(compose, name: name, of: 2) } ?? [],
            "statuses": compose.options(
                Listing.Status.self,
                "status",
                selected: values["status"].flatMap(Listing.Status.init),
                among: listing == nil ? Listing.Status.open : Array(Listing.Status.allCases)
            ),
            "species": compose.options(Species.self, "species", selected: values["species"].flatMap(Species.init)),
            "shortInputs": shown(.everybody, [.heading, .fact]).map { input($0, localizer) },
            "wideInputs": (shown(.everybody, [.paragraph]) + shown(.owner, [.fact, .paragraph])).map {
                input($0, localizer)
            },
            "isExact": values["location_precision"] == LocationPrecision.exact.rawValue,
            "mainContacts": [contact(.contactPhone, type: "tel", autocomplete: "tel", localizer)],
            "otherContacts": [
                contact(.contactName, type: "text", autocomplete: "name", localizer),
                contact(.contactEmail, type: "email", autocomplete: "email", localizer),
            ],
        ]
    }

    private var owners: [[String: any TemplateValue]] {
        memberships.map { membership in
            let id = membership.organisation.id.uuidString.lowercased()
            return [
                "value": id, "label": membership.organisation.content.name, "selected": values["organisation"] == id,
            ]
        }
    }

    /// The name of the input that the problem is about; nil if it is about none of this form.
    private var problemInput: String? {
        guard let problem else { return nil }
        if problem.isAboutPhoto { return "photo" }
        switch problem.field {
        case "lon", "lat": return ListingField.place.name
        case let field? where ListingField(name: field).map(Self.fields.contains) == true: return field
        default: return nil
        }
    }

    /// The fields that are always visible. The others are folded until they are needed.
    private static let first: Set<ListingField> = [
        .status, .species, .place, .lon, .lat, .lastSeenAt, .contactPhone, .contactPhonePublic, .locationPrecision,
    ]

    private var isUnfolded: Bool {
        if listing != nil { return true }
        if let field = problemInput.flatMap(ListingField.init(name:)), !Self.first.contains(field) { return true }
        return problem != nil && Self.fields.contains { !Self.first.contains($0) && values[$0.name] != nil }
    }

    /// Returns the message of the problem if it is about the field.
    private func error(of field: ListingField, _ localizer: Localizer) -> String {
        guard let problem, problemInput == field.name else { return "" }
        return localizer.problem(problem)
    }

    private func shown(_ access: ListingField.Access, _ displays: [ListingField.Display]) -> [ListingField] {
        ListingField.allCases.filter { field in
            field.access == access && field.definition.display.map(displays.contains) == true
        }
    }

    /// The hint of a public field is an example inside the input. The hint of a private field is a text below the input
    /// that explains the privacy.
    private func input(_ field: ListingField, _ localizer: Localizer) -> [String: any TemplateValue] {
        let hint = localizer.hint(of: field)
        let value = values[field.name] ?? ""
        var options: [[String: any TemplateValue]] = []
        // An input of one line would drop line breaks.
        var rows = 0
        switch field.kind {
        case .choice(let choices):
            options = choices.map {
                ["value": $0, "label": localizer("\(field.name).\($0)"), "selected": $0 == value]
            }
        case .lines(let length): rows = length > 500 ? 4 : 2
        default: break
        }
        return [
            "field": field.name, "label": localizer("field.\(field.name)"), "value": value, "options": options,
            "isChoice": !options.isEmpty, "isLong": rows > 0, "rows": rows, "isText": options.isEmpty && rows == 0,
            "most": field.maxLength, "isBreed": field == .breed, "isNumber": field == .microchip,
            "isPrivate": field.access == .owner, "placeholder": field.access == .owner ? "" : hint,
            "hint": field.access == .owner ? hint : "", "error": error(of: field, localizer),
        ]
    }

    private func contact(
        _ field: ListingField,
        type: String,
        autocomplete: String,
        _ localizer: Localizer
    ) -> [String: any TemplateValue] {
        [
            "field": field.name, "type": type, "autocomplete": autocomplete, "most": field.maxLength,
            "label": localizer("field.\(field.name)"), "showLabel": localizer("post.show.\(field.name)"),
            "value": values[field.name] ?? "", "isPublic": values["\(field.name)_public"] == "yes",
            "isPhone": field == .contactPhone, "error": error(of: field, localizer),
        ]
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
        values["last_seen_at"] = content.lastSeenAt?.localInput(in: zone)
        return values
    }
}

extension Timestamp {
    /// Returns the value for `<input type=datetime-local>`.
    func localInput(in zone: TimeZone) -> String {
        let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(
            includingFractionalSeconds: false
        )
        return String(date.formatted(style).prefix(16))
    }

    /// Parses the value of `<input type=datetime-local>`; returns nil if it is malformed.
    ///
    /// - Parameter zone: The time zone of the value.
    package init?(localInput text: String, zone: TimeZone) {
        let style = Date.ISO8601FormatStyle(timeZone: zone).year().month().day().time(includingFractionalSeconds: false)
        let whole = text.count == 16 ? text + ":00" : text
        guard let date = try? Date(whole, strategy: style) else { return nil }
        self.init(date)
    }
}
