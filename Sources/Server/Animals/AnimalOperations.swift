import Domain
import OpenAPI

extension Operation {
    static let animals = [getAnimal, partListing, joinListings, partListingAsModerator]

    private static let getAnimal = Operation(
        .get,
        "/v1/listings/{id}/animal",
        "getAnimal",
        .matches,
        "The other listings of the same animal, and the way that it went",
        description: """
            Listings of the same side are joined when both owners have answered their match with `yes`, or by a moderator: an animal \
            that several people saw, or that its owner and a neighbour posted. Each listing keeps its owner. A 404 says that the \
            listing is not joined with others.
            """,
        access: .known,
        parameters: [.id],
        responses: [.json("The animal.", .named("Animal"), headers: [.vary, .cacheControl])],
        errors: [.notFound]
    )
    private static let partListing = Operation(
        .delete,
        "/v1/listings/{id}/animal",
        "partListing",
        .matches,
        "Say that a listing is of another animal than those that it is joined with",
        description: "By its owner. The same as the answer `no` to each of them.",
        access: .signedIn,
        parameters: [.id],
        responses: [.nothing()],
        errors: [.forbidden, .notFound, .conflict]
    )
    private static let joinListings = Operation(
        .post,
        "/v1/admin/listings/{id}/join",
        "joinListings",
        .moderation,
        "Join two listings of the same animal though their owners have not agreed",
        description: """
            Both are open, of one species and of one side. Their owners are told. A 409 says that they cannot be joined, or are so \
            already.
            """,
        access: .admin,
        parameters: [.id],
        body: .json(.named("OtherListing"), example: ["listing": .sampleID, "note": "the same photo"]),
        responses: [.nothing()],
        errors: [.forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType]
    )
    private static let partListingAsModerator = Operation(
        .post,
        "/v1/admin/listings/{id}/part",
        "partListingAsModerator",
        .moderation,
        "Separate a listing from those that it is joined with",
        description: "What the owners have said of it is taken back. A 409 says that it is joined with none.",
        access: .admin,
        parameters: [.id],
        body: .init([("application/json", .named("Note"), ["note": "two dogs"])], isRequired: false),
        responses: [.nothing()],
        errors: [.forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType]
    )
}

extension Schema {
    static let animals: [String: Schema] = [
        "Animal": .object([
            "listings": .list(of: .named("Listing")).described("In the order in which the animal was seen."),
            "way": .list(of: .named("AnimalStep")).described(
                "Where it was seen, in the order of time, the newest \(Animal.maxSteps): the public places of the listings and of their confirmed sightings."
            ),
        ]),
        "AnimalStep": .object([
            "listing": .uuid.described("The id of the listing that tells it."),
            "sighting": .uuid.orNull.described("The id of the sighting, if it is not the place of the listing itself."),
            "at": .timestamp, "lon": .number(-180...180), "lat": .number(-90...90),
            "approximate": .flag.described("Whether the point is only the centre of a cell or of a town."),
            "place": .text().orNull,
        ]),
        "OtherListing": .object(
            ["listing": .uuid.described("The id of the other listing.")],
            optional: ["note": .note],
            isClosed: true
        ),
    ]
}
