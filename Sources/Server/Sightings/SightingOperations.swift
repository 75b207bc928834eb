import Domain
import HTTP
import OpenAPI

extension Operation {
    static let sightings =
        tagged(.sightings) {
            get("/v1/listings/{id}/sightings", "listSightings", "Where and when a lost animal was seen")
                .known.taking(.id)
                .described(
                    """
                    Its owner gets all of them, with the exact points; who reported one gets that one. Others get those that the owner \
                    has confirmed, with the centre of a cell of 500 m instead of the point. The latest first, the dismissed ones last.
                    """
                )
                .answering(.json("All of them.", .named("SightingList")))
            post("/v1/listings/{id}/sightings", "addSighting", "Tell the owner that one saw the lost animal")
                .signedIn.taking(.id, .acceptLanguage, .idempotencyKey)
                .described(
                    """
                    Where: `lon` and `lat`, or the name of a town as `place`. What the owner of the listing adds is confirmed at once. The \
                    owner can also attach an open `sighted` listing of the same species: `listing` with its id, and nothing else. A sender \
                    whom the owner has blocked is answered as ever.
                    """
                )
                .sending(
                    .withPhoto(
                        "NewSighting",
                        example: ["lon": 14.79, "lat": 40.77, "text": "By the river, running towards the bridge."],
                        form: .named("NewSightingForm")
                    )
                )
                .answering(
                    .json(status: 201, "The sighting, as its sender sees it.", .named("Sighting"), headers: [.location])
                )
                .failing(.conflict)
            patch(
                "/v1/listings/{id}/sightings/{sighting}", "decideSighting",
                "Confirm or dismiss a sighting, as the owner of the listing"
            )
            .signedIn.taking(.id, .path("sighting", .uuid, "The id of the sighting.", example: .sampleID))
            .described("Every decision can be changed later.")
            .sending(.mergePatch(.named("SightingDecision"), example: ["state": "confirmed"], isRequired: true))
            .answering(.json("The sighting as it is now.", .named("Sighting")))
            .failing(.conflict)
            get("/v1/listings/{id}/timeline", "getTimeline", "What happened to a listing and its animal, in order")
                .known.taking(.id, .lang, .acceptLanguage)
                .described(
                    """
                    At most the newest \(TimelineEntry.maxCount) entries. Sightings are among them as the caller may see them, and answers \
                    to possible matches for the owner of the listing alone.
                    """
                )
                .answering(.json("The entries.", .named("Timeline"), headers: [.vary]))
        } + sightingAuthors
}

extension Schema {
    static let sightings: [String: Schema] = [
        "NewSighting": .request(optional: [
            "lon": .longitude.orNull, "lat": .latitude.orNull, PointConfirmation.fieldName: .pointConfirmed,
            "place": .plainText(ListingField.place.maxLength).orNull.described(
                "A town, instead of `lon` and `lat`."
            ),
            "seen_at": .timestampOrDay.orNull.described("Now where it is left out. Not in the future."),
            "text": .plainLines(Sighting.maxTextLength).orNull.described(
                "Everybody sees it when the owner of the listing confirms the sighting."
            ),
            "contact_phone": .phone.described("For the owner of the listing alone."),
            "listing": .uuid.orNull.described("A `sighted` listing to attach, without other fields."),
        ]),
        "NewSightingForm": .request(optional: [
            "lon": .longitude, "lat": .latitude, PointConfirmation.fieldName: .pointConfirmed,
            "place": .plainText(ListingField.place.maxLength),
            "seen_at": .timestampOrDay, "text": .plainLines(Sighting.maxTextLength), "contact_phone": .phone,
            "photo": .photoFile,
        ]),
        "SightingDecision": .request(["state": .choice(Sighting.State.self)]),
        "Sighting": .object([
            "id": .uuid, "state": .choice(Sighting.State.self),
            "mine": .flag.described("Whether the caller reported it."), "seen_at": .timestamp, "lon": .longitude,
            "lat": .latitude, "approximate": .flag.described("Whether the point is the centre of a cell or of a town."),
            "place": .text().orNull, "text": .text().orNull,
            "contact_phone": .text().orNull.described("For the owner of the listing and the sender; null for others."),
            "contact_phone_e164": .e164,
            "listing": .object(["id": .uuid, "name": .text().orNull]).orNull.described("The attached listing."),
            "photo": .attachedPhoto.described("Its own, or the first one of the attached listing."),
            "created_at": .timestamp,
        ]),
        "SightingList": .object([
            "sightings": .list(of: .named("Sighting")), "numberReturned": .integer(atLeast: 0),
        ]),
        "Timeline": .object([
            "entries": .list(
                of: .object([
                    "at": .timestamp, "type": .choice(TimelineEntry.Kind.self),
                    "status": .choice(Listing.Status.self).orNull.described(
                        "After a change of it; of `seen` and `posted` the one at that time, where it is known."
                    ),
                    "sighting": .uuid.orNull,
                    "listing": .uuid.orNull.described(
                        "The other listing of an answer or a reunion; null if it is hidden."
                    ),
                    "answer": .choice(MatchAnswer.self).orNull.described("For the owner of the listing alone."),
                    "text": .text().described("In the reader's language."),
                ])
            ), "numberReturned": .integer(atLeast: 0),
        ]),
    ]
}
