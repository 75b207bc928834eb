import Domain
import Storage

extension Schema {
    static let listings: [String: Schema] = [
        "Listing": feature(listingProperties, id: .uuid),
        "ListingCollection": collection("Listing"),
        "ListingExport": .object([
            "type": .choice(["FeatureCollection"]), "features": .list(of: .named("Listing")),
        ]),
        "ListingPhoto": photo,
        "ListingPatch": written,
        "NewListing": written.with("required", ["status"]).with(
            "anyOf",
            [["required": ["lon", "lat"]], ["required": ["place"]]]
        ),
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
    static func collection(_ item: String) -> Schema {
        .object([
            "type": .choice(["FeatureCollection"]), "features": .list(of: .named(item)),
            "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ])
    }

    static let listingProperties = Schema.object(
        [
            "status": .choice(Listing.Status.self), "species": .choice(Species.self), "name": .text().orNull,
            "breed": .text().orNull,
            "breed_key": .text().orNull.described("Of the breed list; null for a breed that is not in it."),
            "breed_source": .choice(["owner", "photo"]).orNull.described("Whose word the breed is."),
            "sex": .choice(Listing.Sex.self).orNull, "size": .choice(Listing.Size.self).orNull,
            "colour": .text().orNull, "age": .text().orNull, "marks": .text().orNull, "description": .text().orNull,
            "last_seen_at": .timestamp.orNull, "contact_name": .text().orNull, "contact_phone": .text().orNull,
            "contact_email": .text().orNull, "place": .text().orNull, "locality": .text().orNull,
            "province": .text().orNull, "province_code": .text().orNull, "region": .text().orNull,
            "country": .text().orNull, "country_code": .text().orNull, "postal_code": .text().orNull,
            "approximate": .flag.described("The point stands for the cell or the town around the animal's."),
            "created_at": .timestamp, "updated_at": .timestamp, "photos": .list(of: .named("ListingPhoto")),
        ],
        optional: [
            "location_precision": .choice(LocationPrecision.self).described(
                "`approximate`: others see the centre of a fixed cell of about 500 m. Told to its owner and admins, who see the point itself, and of what is only a cell."
            ),
            "distance": .number().described("Metres on the ellipsoid, where a point was given."),
            "likelihood": .number(0...1).described("Of its breed, where a classification was given."),
            "asks_for_mark": .flag.described(
                "Where messages to its owner have to say a mark that is told nowhere; left out else."
            ),
            "hidden": .flag.described("Taken off the board by a moderator; for its owner and admins."),
            "hidden_reason": .choice(Report.Reason.self).orNull.described("Why; null where its account is banned."),
            "expires_at": .timestamp.described("When it ends unless it is renewed. For its owner and admins."),
            "expired_from": .choice(Listing.Status.open.map(\.rawValue)).described(
                "What it was when it ended, of one that nobody renewed. For its owner and admins."
            ),
            "contact_name_public": ownersOnly(.flag), "contact_phone_public": ownersOnly(.flag),
            "contact_email_public": ownersOnly(.flag), "microchip": ownersOnly(.text().orNull),
            "secret_mark": ownersOnly(.text().orNull),
            "reference": ownersOnly(.text().orNull),
        ]
    )

    private static func ownersOnly(_ schema: Schema) -> Schema { schema.described("For its owner and admins.") }

    private static let photo = Schema.object([
        "number": .integer(1...ListingPhoto.maxCount), "width": .integer(atLeast: 1), "height": .integer(atLeast: 1),
        "url": .address, "medium": .address, "thumbnail": .address,
    ])

    private static let written = object([:], optional: writtenFields, isClosed: true)

    /// The fields that owners can write.
    static let writtenFields: [String: Schema] = {
        typealias MaxLength = ListingContent.MaxLength
        return [
            "status": .choice(Listing.Status.self), "species": .choice(Species.self).orNull,
            "name": .plainText(MaxLength.name).orNull,
            "breed": .plainText(MaxLength.breed).orNull.described("A key or name of the breed list, or free text."),
            "sex": .choice(Listing.Sex.self).orNull, "size": .choice(Listing.Size.self).orNull,
            "colour": .plainText(MaxLength.colour).orNull,
            "age": .any(of: [.plainText(MaxLength.age), .number(0...100)]).orNull.described("A number means years."),
            "microchip": .text(0...MaxLength.microchip, pattern: microchip).orNull.described(
                "15 digits, or 9 or 10 signs of older chips. Shown to the owner alone."
            ),
            "marks": .plainLines(MaxLength.marks).orNull, "description": .plainLines(MaxLength.description).orNull,
            "secret_mark": .plainText(MaxLength.secretMark).orNull.described(
                "What only its owner knows: who writes about it has to say it. Shown to the owner alone."
            ),
            "last_seen_at": .timestampOrDay.orNull.described("A moment that is past, or a day."),
            "lon": .longitude.orNull.described("Together with `lat`."),
            "lat": .latitude.orNull.described("Together with `lon`."),
            "location_precision": .choice(LocationPrecision.self).orNull.described(
                "How much others may know of the point: itself, or the fixed cell of about 500 m around it (the default)."
            ),
            "place": .plainText(MaxLength.place).orNull.described("The town; without `lon` and `lat` a known one."),
            "contact_name": .plainText(MaxLength.contactName).orNull, "contact_name_public": .flag.orNull,
            "contact_phone": .phone, "contact_phone_public": .flag.orNull, "contact_email": .contactEmail,
            "contact_email_public": .flag.orNull,
            "reference": .plainText(MaxLength.reference).orNull.described(
                "The owner's own number for it; unique among the owner's listings."
            ),
        ]
    }()

    private static let microchip = "^([0-9]{9}|[0-9A-Fa-f]{10}|(?!000|999)[0-9]{15})?$"

    static let phone = text(0...Profile.MaxLength.phone, pattern: "^(([-+()/. ]*[0-9]){4,20}[-+()/. ]*)?$").orNull
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
