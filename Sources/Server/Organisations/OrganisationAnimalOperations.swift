import Domain
import Formats
import HTTP
import OpenAPI

extension Operation {
    static let organisationAnimals = tagged(.organisations) {
        get(
            "/v1/organisations/{id}/animals.csv", "exportAnimals",
            "The found animals of an organisation as a file for another program, for members"
        )
        .signedIn
        .taking(
            .id(of: "organisation"),
            .query("format", .choice(ShelterProgram.self), "The program that imports the file.", example: "asm3")
                .required
        )
        .described(
            """
            The open `found` listings with their microchips, in the order of posting. `asm3` has the columns that Animal Shelter Manager \
            imports, `petfinder` those of Petfinder; what a listing does not know is empty. A name that is missing is the reference.
            """
        )
        .answering(
            .text("Rows under a line of names, streamed.", type: "text/csv", headers: [.contentDisposition])
        )
        get(path, "getAnimalListing", "The listing with a reference of the organisation, for members")
            .signedIn.taking(animal + [.ifNoneMatch])
            .answering(.geoJSON("The listing.", .named("Listing")))
        put(path, "putAnimalListing", "Create or replace the listing with a reference of the organisation")
            .signedIn.taking(animal + [.acceptLanguage, .ifMatch, .ifAbsent])
            .described(
                """
                For members. What is left out or null is cleared, but photos stay; contacts and the place that are left out are those of the \
                organisation. The same again changes nothing and renews the listing. An open `status` opens a closed listing again, \
                `reunited` and `closed` close it.
                """
            )
            .sending(
                .json(.named("AnimalListing"), example: ["status": "found", "name": "Bruna", "place": "Fisciano"])
            )
            .answering(
                .geoJSON("The listing as it is now.", .named("Listing"), headers: [.eTag]),
                .geoJSON(status: 201, "The new listing.", .named("Listing"), headers: [.location, .eTag])
            )
            .failing(.conflict)
        delete(path, "closeAnimalListing", "Close the listing with a reference of the organisation")
            .signedIn.taking(animal + [.ifMatch])
            .described("For members. The listing and its photos stay. One that is closed stays as it is.")
    }

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
}
