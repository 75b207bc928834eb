import HTTP
import OpenAPI

extension Operation {
    static let sightingAuthors = tagged(.messages) {
        send(
            "/v1/listings/{id}/sightings/{sighting}/messages", "writeToSightingAuthor",
            "Write to who reported a sighting, as the owner of the listing",
            to: [.id, sighting],
            example: ["text": "Which way did it go?"]
        )
        .described(
            """
            Begins a conversation about the sighting, or continues it; its id is that of the sighting. The owner learns of the \
            author what the author writes, and the author is asked for no secret mark. An author who cannot be reached, or whom \
            the owner has blocked, is a 409.
            """
        )
        post(
            "/v1/listings/{id}/sightings/{sighting}/block", "blockSightingAuthor",
            "Block who reported a sighting, as the owner of the listing"
        )
        .signedIn.taking(.id, sighting)
        .described(
            """
            Their messages and sightings arrive no more, about any listing. They are not told, and answered as ever. \
            `DELETE /v1/me/blocks/{id}` ends it.
            """)
    }

    private static let sighting = Parameter.path("sighting", .uuid, "The id of the sighting.", example: .sampleID)
}
