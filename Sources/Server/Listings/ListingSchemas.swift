import Domain
import OpenAPI
import Storage

extension Schema {
    static let listings: [String: Schema] = [
        "Listing": feature(listingProperties, id: .uuid),
        "ListingCollection": collection(
            "Listing", optional: ["reading": searchReading, "alternatives": searchAlternatives]),
        "ListingExport": .object([
            "type": .choice(["FeatureCollection"]), "features": .list(of: .named("Listing")),
        ]),
        "ListingPhoto": photo,
        "ListingPatch": written,
        "AnimalListing": written.with("required", ["status"]),
        // Two schemas with all fields, because generators of clients ignore a choice among lists of required fields.
        "NewListing": .any(of: [.named("NewListingAtPoint"), .named("NewListingInTown")]),
        "NewListingAtPoint": posted.with("required", ["status", "lon", "lat"]),
        "NewListingInTown": posted.with("required", ["status", "place"]),
        "Cluster": feature(
            .object([
                "count": .integer(atLeast: 0), "exact": .flag.described("False where there are at least so many."),
            ]),
            hasBox: true
        ),
        "ClusterCollection": collection("Cluster"),
        "Count": .object([
            "count": .integer(atLeast: 0), "exact": .flag.described("False where there are at least so many."),
        ]),
        "Point": .object([
            "type": .choice(["Point"]),
            "coordinates": .list(of: .number(), 2...2).described("Degrees east, degrees north."),
        ]),
        "Link": .object(["rel": .text(), "href": .address], optional: ["type": .text(), "title": .text()]),
    ]

    /// Returns the schema of a GeoJSON Feature with a point.
    static func feature(
        _ properties: Schema,
        id: Schema? = nil,
        hasBox: Bool = false,
        hasLinks: Bool = false
    ) -> Schema {
        var members = ["type": .choice(["Feature"]), "geometry": .named("Point"), "properties": properties]
        members["id"] = id
        if hasBox { members["bbox"] = .list(of: .number(), 4...4) }
        if hasLinks { members["links"] = .list(of: .named("Link")) }
        return Schema([
            "type": "object", "properties": .object(members.mapValues(\.json)),
            "required": .array(members.keys.sorted().map(JSONValue.string)),
        ])
    }

    /// Returns the schema of a page of features.
    static func collection(_ item: String, optional: [String: Schema] = [:]) -> Schema {
        .object(
            [
                "type": .choice(["FeatureCollection"]), "features": .list(of: .named(item)),
                "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
            ],
            optional: optional
        )
    }

    static let listingProperties = Schema.object(
        shown { $0 != .owner }.merging([
            "code": .text(pattern: "^[\(ListingCode.alphabet)]{\(ListingCode.length)}$").described(
                "The short code for paper and the telephone: `/l/CODE` leads to the page of the listing, in any case and with or without hyphens and spaces."
            ),
            "breed_key": .text().orNull.described("The key in the breed list; null for a breed that is not in it."),
            "breed_source": .choice(["owner", "photo"]).orNull.described("Whose word the breed is."),
            "locality": .text().orNull, "province": .text().orNull, "province_code": .text().orNull,
            "region": .text().orNull, "country": .text().orNull, "country_code": .text().orNull,
            "postal_code": .text().orNull,
            "approximate": .flag.described("The point stands for the cell or the town around the animal's."),
            "created_at": .timestamp, "updated_at": .timestamp, "photos": .list(of: .named("ListingPhoto")),
        ]) { $1 },
        optional: shown { $0 == .owner }.mapValues { $0.described("For its owner and admins.") }.merging([
            "location_precision": .choice(LocationPrecision.self).described(
                "`approximate`: others see the centre of a fixed cell of about 500 m. Told to its owner and admins, who see the point itself, and of what is only a cell."
            ),
            "last_seen_precision": .choice(["day"]).described(
                "`last_seen_at` was a day without a time: it is noon of this day by the Sun at the place. Left out else."
            ),
            "breed_keys": .list(of: .text()).described(
                "The keys of all breeds that its words name, or of the one that its photo shows. Left out of listings of an earlier version of the program until this one has read them; `mixed`, too."
            ),
            "mixed": .flag.described("It is a cross."),
            "contact_phone_e164": .text().described(
                "`contact_phone` with its country code (E.164), read in the country of the listing. Left out where that is unknown."
            ),
            "title": .text().described(
                "Status, breed and town, such as `Lost: Beagle in Eboli (SA)`, in the language of the request; in lists and files."
            ),
            "distance": .number().described("Metres on the ellipsoid, where a point was given."),
            "likelihood": .number(0...1).described(
                "The likelihood that the photo of the classification shows its breed. Left out of other breeds."
            ),
            "score_bits": .number().described("The sum of the evidence, if a classification and a point were given."),
            "evidence": .list(of: .named("Evidence")).described(
                "What speaks for and against the dog of the classification, if a point was given. The strongest first."
            ),
            "asks_for_mark": .flag.described(
                "Where messages to its owner have to say a mark that is told nowhere; left out else."
            ),
            "organisation": .named("OrganisationLabel").described(
                "Its owner, if that is an organisation. Searches of open listings leave it out."
            ),
            "origin": .address.described(
                "Its page at the service where it began, of a listing that is copied from there. Messages and sightings belong there. Left out else."
            ),
            "hidden": .flag.described("Taken off the board by a moderator; for its owner and admins."),
            "hidden_reason": .choice(Report.Reason.self).orNull.described("Why; null where its account is banned."),
            "expires_at": .timestamp.described("When it ends unless it is renewed. For its owner and admins."),
            "expired_from": .choice(Listing.Status.open.map(\.rawValue)).described(
                "What it was when it ended, of one that nobody renewed. For its owner and admins."
            ),
        ]) { $1 }
    )

    /// The schemas of fields in responses, by name.
    private static func shown(_ isIncluded: (ListingField.Access) -> Bool) -> [String: Schema] {
        let fields = ListingField.columns.filter { isIncluded($0.access) }
        return Dictionary(uniqueKeysWithValues: fields.map { ($0.name, forReading($0)) })
    }

    private static func forReading(_ field: ListingField) -> Schema {
        switch field.kind {
        case .choice(let values): field == .status || field == .species ? .choice(values) : .choice(values).orNull
        case .time: .timestamp.orNull
        case .flag: .flag
        case .degrees: .number()
        case .text, .lines, .breed, .age, .microchip, .phone, .email: .text().orNull
        }
    }

    private static let photo = Schema.object([
        "number": .integer(1...ListingPhoto.maxCount), "width": .integer(atLeast: 1), "height": .integer(atLeast: 1),
        "url": .address, "medium": .address, "thumbnail": .address,
    ])

    private static let written = request(optional: editedFields)

    private static let posted = request(
        optional: editedFields.merging([
            "organisation": .uuid.orNull.described("The organisation that owns it, of which one is a member.")
        ]) { $1 })

    private static let editedFields = writtenFields.merging([PointConfirmation.fieldName: pointConfirmed]) { $1 }

    /// The field that confirms a point.
    static let pointConfirmed = flag.orNull.described(
        "Accepts a point outside of the site's area that lies inside with longitude and latitude exchanged."
    )

    /// The fields that owners can write.
    static let writtenFields = Dictionary(uniqueKeysWithValues: ListingField.allCases.map { ($0.name, forWriting($0)) })

    private static func forWriting(_ field: ListingField) -> Schema {
        let schema: Schema =
            switch field.kind {
            case .text(let length), .breed(let length): .plainText(length).orNull
            case .lines(let length): .plainLines(length).orNull
            case .age(let length): .any(of: [.plainText(length), .number(0...100)]).orNull
            case .microchip(let length): .text(0...length, pattern: microchip).orNull
            case .phone: phone
            case .email: contactEmail
            case .choice(let values): field == .status ? .choice(values) : .choice(values).orNull
            case .time: .timestampOrDay.orNull
            case .degrees(let limit): .number(-limit...limit).orNull
            case .flag: .flag.orNull
            }
        return field.definition.note.map(schema.described) ?? schema
    }

    private static let microchip = "^([0-9]{9}|[0-9A-Fa-f]{10}|(?!000|999)[0-9]{15})?$"

    static let phone = text(
        0...Profile.MaxLength.phone,
        pattern: #"^(\+?[0-9]([-. ]?[0-9]){3,14}( (ext|int)\. [0-9]{1,7})?)?$"#
    ).orNull.described(
        "One number that is possible in its country: that of its country code, otherwise that of the place."
    )
    /// The telephone number of another field.
    static let e164 = text(pattern: #"^\+[1-9][0-9]{3,16}$"#).orNull.described(
        "The same number with its country code (E.164); null where that is unknown."
    )
    /// A mail address with exactly one `@`, no characters with a special meaning on either side of it, and a dot in the
    /// domain.
    static let email = text(5...Profile.MaxLength.email, pattern: "^\(emailPattern)$")
    /// A mail address or an empty text.
    static let contactEmail = text(0...Profile.MaxLength.email, pattern: "^(\(emailPattern))?$").orNull
    private static let emailPattern: String = {
        let sign = #"[^@\s\u0000-\u001F\u007F-\u009F<>()\[\],;:\\".]"#
        return "\(sign)(\(sign)|\\.){0,63}@\(sign)+(\\.\(sign)+)+"
    }()
}
