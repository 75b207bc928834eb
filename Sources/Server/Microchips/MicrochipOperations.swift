import Domain
import HTTP
import OpenAPI

extension Operation {
    static let microchips =
        tagged(.help) {
            post("/v1/microchip-lookups", "lookUpMicrochip", "Whether an open listing has a microchip")
                .known.taking(.acceptLanguage)
                .described(
                    """
                    For finders who had the number read. The answer names no listing. Few lookups an hour are possible for each account and \
                    address; the number is neither stored nor logged.
                    """
                )
                .sending(.json(.named("MicrochipLookup"), example: ["number": "380260000000001"]))
                .answering(.json("Whether it is known, and whom to ask.", .named("MicrochipAnswer")))
            get(
                "/v1/microchip-registries", "getMicrochipRegistries",
                "Where a microchip's number comes from, and which registries to ask"
            )
            .taking(
                .query("prefix", .text(pattern: "^[0-9]{3}$"), "The first three of 15 digits.", example: "380")
                    .required,
                .acceptLanguage
            )
            .described("By the first three digits, so that no whole number is in an address.")
            .answering(.json("The country or manufacturer.", .named("MicrochipOrigin"), headers: [.vary]))
        }
        + tagged(.messages) {
            post(
                "/v1/microchip-messages", "writeToOwnerByMicrochip", "Write to the owner of an animal by its microchip"
            )
            .signedIn
            .described(
                """
                Counts as a lookup. The sender sees the conversation, and with it the listing, when the owner answers. No secret mark is \
                asked for.
                """
            )
            .sending(
                .json(
                    .named("NewMicrochipMessage"),
                    example: [
                        "number": "380260000000001", "text": "The dog is with me in Salerno.",
                        "contact_phone": "+39 333 7654321",
                    ]
                )
            )
            .answering(.nothing("The message was sent."))
            .failing(.notFound, .conflict, .unprocessable)
        }
        + tagged(.moderation) {
            get("/v1/admin/microchips/{number}", "findByMicrochip", "All listings with a microchip")
                .admin.taking(.path("number", .microchipNumber, "The whole number.", example: "380260000000001"))
                .answering(.json("Them, newest first.", .named("MicrochipListings"), headers: [.link]))
                .alwaysFound
        }
}

extension Schema {
    static let microchips: [String: Schema] = [
        "MicrochipLookup": .request(["number": .microchipNumber]),
        "NewMicrochipMessage": .request(
            ["number": .microchipNumber, "text": messageText],
            optional: [
                "contact_name": .plainText(ListingField.contactName.maxLength).orNull, "contact_phone": .phone,
                "contact_email": .contactEmail,
            ]
        ),
        "MicrochipAnswer": .object([
            "known": .flag, "write": .address.orNull.described("Where to send a message to the owner."),
            "origin": .named("MicrochipOrigin"),
        ]),
        "MicrochipOrigin": .object([
            "prefix": .text().orNull.described("Null for numbers of 9 or 10 characters."),
            "country_code": .text().orNull.described("ISO 3166-1 alpha-2."), "country": .text().orNull,
            "manufacturer": .text().orNull,
            "registries": .list(of: .object(["name": .text(), "url": .address])),
        ]),
        "MicrochipListings": .object([
            "listings": .list(
                of: .object([
                    "id": .uuid, "href": .address, "status": .choice(Listing.Status.self), "name": .text().orNull,
                    "hidden": .flag, "created_at": .timestamp,
                ])
            ), "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ]),
    ]

    static let microchipNumber = text(pattern: "^([0-9]{9}|[0-9A-Fa-f]{10}|(?!000|999)[0-9]{15})$")
}
