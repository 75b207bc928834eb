import Domain
import HTTP
import OpenAPI

extension Operation {
    static let organisations = tagged(.organisations) {
        get("/v1/organisations/{id}", "getOrganisation", "One organisation")
            .taking(.id(of: "organisation"), .ifNoneMatch)
            .answering(.json("The organisation.", .named("Organisation")))
        post("/v1/organisations", "createOrganisation", "Register an organisation, as its first manager")
            .signedIn
            .described(
                """
                For registered accounts. An account is a member of at most \(Organisation.maxPerAccount) organisations. `verified` is \
                false until an admin has verified who it is.
                """
            )
            .sending(.json(.named("NewOrganisation"), example: sample))
            .answering(
                .json(status: 201, "The organisation.", .named("Organisation"), headers: [.eTag, .location])
                    .withoutCacheControl
            )
        patch("/v1/organisations/{id}", "editOrganisation", "Change what an organisation says of itself")
            .signedIn.taking(.id(of: "organisation"), .ifMatch)
            .described("A merge patch (RFC 7396), for managers. Another name has to be verified again.")
            .sending(.mergePatch(.named("OrganisationPatch"), example: ["phone": "+39 089 123456"]))
            .answering(.json("The organisation as it is now.", .named("Organisation")).withoutCacheControl)
        delete("/v1/organisations/{id}", "deleteOrganisation", "Delete an organisation with its closed listings")
            .signedIn.taking(.id(of: "organisation"), .ifMatch)
            .described("For managers. Answers 409 while it has open listings.")
            .failing(.conflict)
        get("/v1/me/organisations", "listOwnOrganisations", "The organisations that one is a member of")
            .signedIn
            .answering(.json("The organisations.", .named("OwnOrganisations")))
        verification("verify", "Record that it is verified who an organisation is")
        verification("unverify", "Take back that an organisation is verified")
        post("/v1/listings/bulk", "changeListings", "Renew or close many listings at once")
            .signedIn
            .described(
                """
                Changes listings of the account and of its organisations; others are refused one by one. \
                `reunited` and `closed` close them. What happened to each is in the answer.
                """
            )
            .sending(.json(.named("ListingBatch"), example: ["action": "renew", "ids": [.sampleID]]))
            .answering(.json("What happened to each.", .named("ListingBatchResults")))
    }

    private static let sample: JSONValue = ["name": "Canile di Salerno", "website": "https://example.org"]

    private static func verification(_ verb: String, _ summary: String) -> Operation {
        post("/v1/admin/organisations/{id}/\(verb)", "\(verb)Organisation", summary)
            .admin.taking(.id(of: "organisation"))
            .sending(.json(.named("Note"), example: ["note": "called the number of the municipality"]))
    }
}

extension Schema {
    static let organisations: [String: Schema] = [
        "Organisation": organisation,
        "OwnOrganisations": .object([
            "organisations": .list(of: .object(shown.merging(["role": .choice(Organisation.Role.self)]) { $1 }))
        ]),
        "NewOrganisation": .request(
            ["name": .plainText(Organisation.Content.MaxLength.name).with("minLength", 1)],
            optional: written
        ),
        "OrganisationPatch": .request(
            optional: written.merging(["name": .plainText(Organisation.Content.MaxLength.name).with("minLength", 1)]) {
                $1
            }),
        "OrganisationLabel": label,
        "ListingBatch": .request([
            "action": .choice(ListingBatchService.Action.self),
            "ids": .list(of: .uuid, 1...ListingBatchService.maxCount),
        ]),
        "ListingBatchResults": .object([
            "results": .list(of: .object(["id": .uuid, "outcome": .choice(ListingBatchService.Outcome.self)]))
        ]),
    ].merging(members) { $1 }

    static let label = object(["id": .uuid, "name": .text(), "verified": .flag])

    private static let organisation = object(shown)

    private static let shown: [String: Schema] = [
        "id": .uuid, "name": .text(), "verified": .flag.described("Whether an admin has verified who it is."),
        "about": .text().orNull, "website": .address.orNull, "phone": .text().orNull, "phone_e164": .e164,
        "email": .text().orNull,
        "address": .text().orNull, "lon": .number().orNull, "lat": .number().orNull, "created_at": .timestamp,
    ]

    private static let written: [String: Schema] = [
        "about": .plainLines(Organisation.Content.MaxLength.about).orNull,
        "website": .text(
            0...Profile.MaxLength.picture,
            pattern: #"^(https://[A-Za-z0-9.-]*[A-Za-z0-9](/[!-~]*)?)?$"#
        ).orNull,
        "phone": .phone, "email": .contactEmail,
        "address": .plainText(Organisation.Content.MaxLength.address).orNull,
        "lon": .number(-180...180).orNull.described("Together with `lat`."), "lat": .number(-90...90).orNull,
        PointConfirmation.fieldName: .pointConfirmed,
    ]
}
