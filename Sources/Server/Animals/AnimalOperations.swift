import Domain
import OpenAPI

extension Operation {
    static let animals =
        tagged(.matches) {
            get(
                "/v1/listings/{id}/animal", "getAnimal",
                "The other listings of the same animal, and the way that it went"
            )
            .known.taking(.id)
            .described(
                """
                Listings of the same side are joined when both owners have answered their match with `yes`, or by a moderator: an animal \
                that several people saw, or that its owner and a neighbour posted. Each listing keeps its owner. A 404 says that the \
                listing is not joined with others.
                """
            )
            .answering(.json("The animal.", .named("Animal"), headers: [.vary]))
            delete(
                "/v1/listings/{id}/animal", "partListing",
                "Say that a listing is of another animal than those that it is joined with"
            )
            .signedIn.taking(.id)
            .described("By its owner. The same as the answer `no` to each of them.")
            .failing(.conflict)
        }
        + tagged(.moderation) {
            post(
                "/v1/admin/listings/{id}/join", "joinListings",
                "Join two listings of the same animal though their owners have not agreed"
            )
            .admin.taking(.id)
            .described(
                """
                Both are open, of one species and of one side. Their owners are told. A 409 says that they cannot be joined, or are so \
                already.
                """
            )
            .sending(.json(.named("OtherListing"), example: ["listing": .sampleID, "note": "the same photo"]))
            .failing(.conflict)
            post(
                "/v1/admin/listings/{id}/part", "partListingAsModerator",
                "Separate a listing from those that it is joined with"
            )
            .admin.taking(.id)
            .described("What the owners have said of it is taken back. A 409 says that it is joined with none.")
            .sending(.json(.named("Note"), example: ["note": "two dogs"], isRequired: false))
            .failing(.conflict)
        }
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
        "OtherListing": .request(
            ["listing": .uuid.described("The id of the other listing.")],
            optional: ["note": .note]
        ),
    ]
}
