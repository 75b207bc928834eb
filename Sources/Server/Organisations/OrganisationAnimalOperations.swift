import Domain
import Formats
import HTTP
import OpenAPI

extension Operation {
    static let organisationAnimals = [exportAnimals, getAnimalListing, putAnimalListing, closeAnimalListing]

    private static let path = "/v1/organisations/{id}/animals/{reference}"
    private static let animal: [Parameter] = [
        .id(of: "organisation"),
        .path(
            "reference",
            .filledText(ListingField.reference.maxLength),
            "The organisation's own reference of the animal, percent-encoded: `%2F` for a slash.",
            example: "C-2026-117"
        ),
    ]

    private static let exportAnimals = Operation(
        .get,
        "/v1/organisations/{id}/animals.csv",
        "exportAnimals",
        .organisations,
        "The found animals of an organisation as a file for another program, for members",
        description: """
            The open `found` listings with their microchips, in the order of posting. `asm3` has the columns that Animal Shelter Manager \
            imports, `petfinder` those of Petfinder; what a listing does not know is empty. A name that is missing is the reference.
            """,
        access: .signedIn,
        parameters: [
            .id(of: "organisation"),
            .query("format", .choice(ShelterProgram.self), "The program that imports the file.", example: "asm3")
                .required,
        ],
        responses: [
            .init(
                200,
                "Rows under a line of names, streamed.",
                headers: [.contentDisposition, .cacheControl],
                [.init(type: "text/csv", schema: .text())]
            )
        ],
        errors: [.forbidden, .notFound]
    )
    private static let getAnimalListing = Operation(
        .get,
        path,
        "getAnimalListing",
        .organisations,
        "The listing with a reference of the organisation, for members",
        access: .signedIn,
        parameters: animal + [.ifNoneMatch],
        responses: [
            .geoJSON("The listing.", .named("Listing"), headers: [.eTag, .vary, .cacheControl]),
            .unchanged([.vary, .cacheControl]),
        ],
        errors: [.forbidden, .notFound]
    )
    private static let putAnimalListing = Operation(
        .put,
        path,
        "putAnimalListing",
        .organisations,
        "Create or replace the listing with a reference of the organisation",
        description: """
            For members. What is left out or null is cleared, but photos stay; contacts and the place that are left out are those of the \
            organisation. The same again changes nothing and renews the listing. An open `status` opens a closed listing again, \
            `reunited` and `closed` close it.
            """,
        access: .signedIn,
        parameters: animal + [.acceptLanguage, .ifMatch, .ifAbsent],
        body: .json(.named("AnimalListing"), example: ["status": "found", "name": "Bruna", "place": "Fisciano"]),
        responses: [
            .geoJSON("The listing as it is now.", .named("Listing"), headers: [.eTag, .vary, .cacheControl]),
            .geoJSON(
                status: 201,
                "The new listing.",
                .named("Listing"),
                headers: [.location, .eTag, .vary, .cacheControl]
            ),
        ],
        errors: [.forbidden, .notFound, .conflict, .preconditionFailed, .tooLarge, .unsupportedMediaType]
    )
    private static let closeAnimalListing = Operation(
        .delete,
        path,
        "closeAnimalListing",
        .organisations,
        "Close the listing with a reference of the organisation",
        description: "For members. The listing and its photos stay. One that is closed stays as it is.",
        access: .signedIn,
        parameters: animal + [.ifMatch],
        responses: [.nothing()],
        errors: [.forbidden, .notFound, .preconditionFailed]
    )
}
