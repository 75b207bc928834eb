import Domain
import ImageClassifier
import OpenAPI
import Photos

extension RequestBodyDescription {
    /// An image file as the request body.
    static let photo = RequestBodyDescription(
        [
            "image/jpeg", "image/png", "image/webp", "image/heic", "image/heif", "image/avif",
            "application/octet-stream",
        ].map { ($0, .text(format: "binary"), nil) },
        description: """
            The bare \(PhotoProcessor.formats.alternatives), up to \(PhotoProcessor.maxFileSize >> 20) MB and 50 megapixels; its bytes tell \
            what it is, not the media type.
            """
    )
}

extension RequestBodyDescription {
    /// JSON, or a form with the same fields and a photo.
    static func withPhoto(_ name: String, example: JSONValue, form: Schema) -> RequestBodyDescription {
        RequestBodyDescription(
            [("application/json", .named(name), example), ("multipart/form-data", form, nil)],
            description: "The form can have a `photo`, a file. If it is refused, so is the whole request."
        )
    }
}

extension Operation {
    static let photos = tagged(.photos) {
        get("/v1/listings/{id}/photos/{number}", "getListingPhoto", "Lead to a photo's largest size")
            .known.taking(.id, number)
            .answering(.elsewhere("To the image.", headers: [.cacheControl, .vary]))
        put("/v1/listings/{id}/photos/{number}", "putListingPhoto", "Send a photo")
            .signedIn.taking(.id, number, .acceptLanguage, .ifMatch, .ifAbsent)
            .described(
                """
                It is made upright, brought to sRGB and kept in four sizes, without where and when it was taken. A listing of a dog \
                without a breed gets the one that the model is sure of.
                """
            )
            .sending(.photo)
            .answering(
                .json(status: 200, "In the place of another one.", .named("ReceivedPhoto"), headers: [.location])
                    .withoutCacheControl,
                .json(status: 201, "A new one.", .named("ReceivedPhoto"), headers: [.location]).withoutCacheControl
            )
        delete("/v1/listings/{id}/photos/{number}", "deleteListingPhoto", "Remove a photo")
            .signedIn.taking(.id, number, .ifMatch)
        put("/v1/listings/{id}/photos/order", "orderListingPhotos", "Put the photos of a listing in another order")
            .signedIn.taking(.id, .ifMatch)
            .described(
                """
                `numbers` has the number of each photo once, the first photo first: `[3, 1, 2]` makes the third photo the first one. \
                Cards, previews of links, pictures and flyers show the first photo. `If-Match` takes the tag of the listing.
                """
            )
            .sending(.json(.named("PhotoOrder"), example: ["numbers": [3, 1, 2]]))
            .answering(.geoJSON("The listing as it is now.", .named("Listing"), headers: [.eTag]))
            .failing(.conflict)
        get("/photos/{file}", "getPhoto", "An image, in one of its sizes")
            .known
            .taking(
                .path(
                    "file",
                    .text(
                        pattern:
                            "^[0-9a-f-]{36}-(\(PhotoProcessor.sides.map(String.init).joined(separator: "|")))\\.jpg$"
                    ),
                    "As `photos` of a listing or `photo` tells it; the number is the longer side in pixels, at most. Older photos give 800 pixels for 480.",
                    example: "5d6e7f80-91a2-4b3c-8d4e-5f60718293a4-800.jpg"
                ), .ifNoneMatch
            )
            .described(
                """
                The content of an address never changes. Photos of sightings and messages are for those who may see these.
                """
            )
            .answering(.file("The image.", type: "image/jpeg", headers: [.vary]))
            .lenient
        post("/v1/classifications", "classify", "The breeds that a photo makes likely")
            .taking(.lang, .acceptLanguage)
            .described("The photo is not kept, the answer for a day.")
            .sending(.photo)
            .answering(.json(status: 201, "The breeds.", .named("Classification"), headers: [.location, .vary]))
        get("/v1/classifications/{id}", "getClassification", "A classification of the last day")
            .taking(.id(of: "classification"), .lang, .acceptLanguage)
            .answering(.json("The breeds.", .named("Classification"), headers: [.vary]))
    }

    private static let number = Parameter.path(
        "number",
        .integer(1...ListingPhoto.maxCount),
        "The place of the photo.",
        example: 1
    )
}

extension Schema {
    static let photos: [String: Schema] = [
        "ReceivedPhoto": .object(
            [
                "number": .integer(1...ListingPhoto.maxCount), "width": .integer(atLeast: 1),
                "height": .integer(atLeast: 1), "url": .address, "medium": .address, "thumbnail": .address,
            ],
            optional: [
                "copy_of": .object(["listing": .uuid, "number": .integer(1...ListingPhoto.maxCount)])
                    .described("A photo of this or another open listing of the account, of which the photo is a copy."),
                "classification": .object(["id": .uuid, "outcome": outcome, "label": .text().orNull])
                    .described("What the photo shows; in full at `/v1/classifications/{id}`."),
            ]
        ),
        "PhotoOrder": .object([
            "numbers": .list(of: .integer(1...ListingPhoto.maxCount), 0...ListingPhoto.maxCount)
        ]),
        "Classification": .object([
            "id": .uuid, "outcome": outcome,
            "predictions": .list(
                of: .object(["label": .text(), "key": .text(), "name": .text(), "confidence": .number(0...1)])
            ).described("The likeliest first."),
            "model": .text(), "model_version": .text(), "links": .list(of: .named("Link")),
        ]),
    ]

    /// A file of a form.
    static let photoFile = Schema.text(format: "binary").described(
        "A \(PhotoProcessor.formats.alternatives), up to \(PhotoProcessor.maxFileSize >> 20) MB and 50 megapixels."
    )
    /// The photo of a sighting or message.
    static let attachedPhoto = Schema.object([
        "width": .integer(atLeast: 1), "height": .integer(atLeast: 1), "url": .address, "medium": .address,
        "thumbnail": .address,
    ]).orNull

    private static let outcome = choice(Classification.Outcome.self)
}
