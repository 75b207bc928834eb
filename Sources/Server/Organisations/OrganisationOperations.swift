import Domain
import HTTP
import OpenAPI

extension Operation {
    static let organisations = [
        getOrganisation, createOrganisation, editOrganisation, deleteOrganisation, listOwnOrganisations,
        verifyOrganisation, unverifyOrganisation, changeListings,
    ]

    private static let sample: JSONValue = ["name": "Canile di Salerno", "website": "https://example.org"]

    private static let getOrganisation = Operation(
        .get,
        "/v1/organisations/{id}",
        "getOrganisation",
        .organisations,
        "One organisation",
        parameters: [.id(of: "organisation"), .ifNoneMatch],
        responses: [.json("The organisation.", .named("Organisation"), headers: [.eTag]), .unchanged()],
        errors: [.notFound]
    )
    private static let createOrganisation = Operation(
        .post,
        "/v1/organisations",
        "createOrganisation",
        .organisations,
        "Register an organisation, as its first manager",
        description: """
            For registered accounts. An account is a member of at most \(Organisation.maxPerAccount) organisations. `verified` is \
            false until an admin has verified who it is.
            """,
        access: .signedIn,
        body: .json(.named("NewOrganisation"), example: sample),
        responses: [.json(status: 201, "The organisation.", .named("Organisation"), headers: [.eTag, .location])],
        errors: [.tooLarge, .unsupportedMediaType]
    )
    private static let editOrganisation = Operation(
        .patch,
        "/v1/organisations/{id}",
        "editOrganisation",
        .organisations,
        "Change what an organisation says of itself",
        description: "A merge patch (RFC 7396), for managers. Another name has to be verified again.",
        access: .signedIn,
        parameters: [.id(of: "organisation"), .ifMatch],
        body: .mergePatch(.named("OrganisationPatch"), example: ["phone": "+39 089 123456"]),
        responses: [.json("The organisation as it is now.", .named("Organisation"), headers: [.eTag])],
        errors: [.notFound, .preconditionFailed, .tooLarge, .unsupportedMediaType]
    )
    private static let deleteOrganisation = Operation(
        .delete,
        "/v1/organisations/{id}",
        "deleteOrganisation",
        .organisations,
        "Delete an organisation with its closed listings",
        description: "For managers. Answers 409 while it has open listings.",
        access: .signedIn,
        parameters: [.id(of: "organisation"), .ifMatch],
        responses: [.nothing()],
        errors: [.notFound, .conflict, .preconditionFailed]
    )
    private static let listOwnOrganisations = Operation(
        .get,
        "/v1/me/organisations",
        "listOwnOrganisations",
        .organisations,
        "The organisations that one is a member of",
        access: .signedIn,
        responses: [.json("The organisations.", .named("OwnOrganisations"), headers: [.cacheControl])]
    )
    private static let verifyOrganisation = verification("verify", "Record that it is verified who an organisation is")
    private static let unverifyOrganisation = verification("unverify", "Take back that an organisation is verified")

    private static func verification(_ verb: String, _ summary: String) -> Operation {
        Operation(
            .post,
            "/v1/admin/organisations/{id}/\(verb)",
            "\(verb)Organisation",
            .organisations,
            summary,
            access: .admin,
            parameters: [.id(of: "organisation")],
            body: .json(.named("Note"), example: ["note": "called the number of the municipality"]),
            responses: [.nothing()],
            errors: [.notFound, .tooLarge, .unsupportedMediaType]
        )
    }

    private static let changeListings = Operation(
        .post,
        "/v1/listings/bulk",
        "changeListings",
        .organisations,
        "Renew or close many listings at once",
        description: """
            Changes listings of the account and of its organisations; others are refused one by one. \
            `reunited` and `closed` close them. What happened to each is in the answer.
            """,
        access: .signedIn,
        body: .json(.named("ListingBatch"), example: ["action": "renew", "ids": [.sampleID]]),
        responses: [.json("What happened to each.", .named("ListingBatchResults"), headers: [.cacheControl])],
        errors: [.tooLarge, .unsupportedMediaType]
    )
}

extension Schema {
    static let organisations: [String: Schema] = [
        "Organisation": organisation,
        "OwnOrganisations": .object([
            "organisations": .list(of: .object(shown.merging(["role": .choice(Organisation.Role.self)]) { $1 }))
        ]),
        "NewOrganisation": .object(
            ["name": .plainText(Organisation.Content.MaxLength.name).with("minLength", 1)],
            optional: written,
            isClosed: true
        ),
        "OrganisationPatch": .object(
            [:],
            optional: written.merging(["name": .plainText(Organisation.Content.MaxLength.name).with("minLength", 1)]) {
                $1
            },
            isClosed: true
        ),
        "OrganisationLabel": label,
        "ListingBatch": .object(
            [
                "action": .choice(ListingBatchService.Action.self),
                "ids": .list(of: .uuid, 1...ListingBatchService.maxCount),
            ],
            isClosed: true
        ),
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
