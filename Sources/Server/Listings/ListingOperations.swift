import Domain
import Formats
import HTTP
import OpenAPI
import Pages
import Storage

extension Operation {
    static let listings = [
        searchListings, postListing, getListing, editListing, deleteListing, renewListing, listOwnListings,
        countListings,
        clusterListings, watchListings, exportCSV, exportGeoJSON,
    ]

    private static let searchListings = Operation(
        .get,
        "/v1/listings",
        "searchListings",
        .listings,
        "Search the board",
        description: """
            Every condition narrows. Nearest first where a point is given, newest first else. Follow `next` for more: pages stay \
            right while listings come and go. Owners see all of their own listings' fields, others what is public.
            """,
        access: .known,
        parameters: .listingSearch,
        responses: [
            .geoJSON("A page of listings.", .named("ListingCollection"), headers: [.link, .vary, .cacheControl])
        ],
        exampleQuery: "status=lost,sighted&lon=14.8&lat=40.8&radius=5000"
    )
    private static let postListing = Operation(
        .post,
        "/v1/listings",
        "postListing",
        .listings,
        "Post a listing",
        description: """
            A point alone is enough, the gazetteer tells the town; a town alone is enough too. Contacts that are left out come \
            from the profile.
            """,
        access: .signedIn,
        parameters: [.acceptLanguage, .idempotencyKey],
        body: .json(.named("NewListing"), example: exampleListing),
        responses: [
            .geoJSON(
                status: 201,
                "The listing, whole.",
                .named("Listing"),
                headers: [.location, .eTag, .vary, .cacheControl, .idempotencyReplayed]
            )
        ],
        errors: [.forbidden, .notFound, .conflict, .tooLarge, .unsupportedMediaType, .unprocessable]
    )
    private static let getListing = Operation(
        .get,
        "/v1/listings/{id}",
        "getListing",
        .listings,
        "One listing",
        access: .known,
        parameters: [.id, .ifNoneMatch],
        responses: [
            .geoJSON("The listing.", .named("Listing"), headers: [.eTag, .vary, .cacheControl]),
            .unchanged([.vary, .cacheControl]),
        ],
        errors: [.notFound]
    )
    private static let editListing = Operation(
        .patch,
        "/v1/listings/{id}",
        "editListing",
        .listings,
        "Change a listing",
        description: "A merge patch (RFC 7396): null clears, what is left out stays.",
        access: .signedIn,
        parameters: [.id, .ifMatch, .acceptLanguage],
        body: .mergePatch(.named("ListingPatch"), example: ["status": "reunited"]),
        responses: [.geoJSON("The listing as it is now.", .named("Listing"), headers: [.eTag, .vary, .cacheControl])],
        errors: [.forbidden, .notFound, .conflict, .preconditionFailed, .tooLarge, .unsupportedMediaType]
    )
    private static let deleteListing = Operation(
        .delete,
        "/v1/listings/{id}",
        "deleteListing",
        .listings,
        "Delete a listing and its photos",
        access: .signedIn,
        parameters: [.id, .ifMatch],
        responses: [.nothing()],
        errors: [.forbidden, .notFound, .preconditionFailed]
    )
    private static let renewListing = Operation(
        .post,
        "/v1/listings/{id}/renewal",
        "renewListing",
        .listings,
        "Say that a listing still holds",
        description: """
            It stands for \(Expiry.listing) days more. One that ended, since nobody renewed it, is again what it was. Any edit by its \
            owner renews it as well.
            """,
        access: .signedIn,
        parameters: [.id],
        responses: [.geoJSON("The listing as it is now.", .named("Listing"), headers: [.eTag, .vary, .cacheControl])],
        errors: [.forbidden, .notFound]
    )
    private static let listOwnListings = Operation(
        .get,
        "/v1/me/listings",
        "listOwnListings",
        .listings,
        "One's own listings",
        description: "The same search among one's own, of any status unless `status` says otherwise.",
        access: .signedIn,
        parameters: .listingSearch + [
            .query(
                "organisation",
                .uuid,
                "The listings of an organisation that one is a member of.",
                example: .sampleID
            )
        ],
        responses: [
            .geoJSON("A page of listings.", .named("ListingCollection"), headers: [.link, .vary, .cacheControl])
        ],
        errors: [.forbidden, .notFound]
    )
    private static let countListings = Operation(
        .get,
        "/v1/listings/count",
        "countListings",
        .listings,
        "How many a search would find",
        parameters: .listingFilters(),
        responses: [.json("The number.", .named("Count"), example: ["count": 128, "exact": true])],
        exampleQuery: "bbox=6,36,19,48&species=cat"
    )
    private static let clusterListings = Operation(
        .get,
        "/v1/listings/clusters",
        "clusterListings",
        .listings,
        "How many are where, for a web map",
        parameters: .listingFilters(and: [.zoom]),
        responses: [.geoJSON("Parts of the map.", .named("ClusterCollection"), headers: [.link])],
        exampleQuery: "bbox=6,36,19,48&zoom=6&status=lost"
    )
    private static let watchListings = Operation(
        .get,
        "/v1/listings/stream",
        "watchListings",
        .listings,
        "What happens on the board, as it happens",
        description: """
            Server-Sent Events that never end: `listing.created` and `listing.updated` with `{"id": ..., "feature": ...}`, \
            `listing.removed` with the id alone, also of what does not pass the filters any more. `reset` says that too much was missed: \
            search anew.
            """,
        parameters: .listingFilters(and: [
            .acceptLanguage,
            .query("last_event_id", .text(pattern: "^[0-9]{1,18}$"), "As `Last-Event-ID`, which counts before it."),
            .header(
                "Last-Event-ID",
                .text(pattern: "^[0-9]{1,18}$"),
                "The last event seen: what was missed comes first."
            ),
        ]),
        responses: [
            .init(
                200,
                "The stream.",
                headers: [.cacheControl],
                [
                    .init(
                        type: "text/event-stream",
                        schema: .text(),
                        example:
                            "id: 17\nevent: listing.removed\ndata: {\"id\":\"3f8e2c1a-9d4b-4c6e-8f70-1b2a3c4d5e6f\"}\n\n"
                    )
                ]
            )
        ]
    )
    private static let exportCSV = Operation(
        .get,
        "/v1/listings.csv",
        "exportListingsAsCSV",
        .listings,
        "All that a search finds as CSV",
        description:
            "Oldest first, what everybody sees, streamed however long. Its columns are the fields of a listing.",
        parameters: .listingFilters(),
        responses: [
            .init(
                200,
                "Rows under a line of names.",
                headers: [.contentDisposition, .cacheControl],
                [.init(type: "text/csv", schema: .text())]
            )
        ],
        exampleQuery: "place=salerno"
    )
    private static let exportGeoJSON = Operation(
        .get,
        "/v1/listings.geojson",
        "exportListingsAsGeoJSON",
        .listings,
        "All that a search finds as GeoJSON",
        description: "Oldest first, what everybody sees, streamed however long.",
        parameters: .listingFilters(),
        responses: [
            .geoJSON("All listings.", .named("ListingExport"), headers: [.contentDisposition, .cacheControl])
        ],
        exampleQuery: "status=lost,reunited"
    )
    private static let exampleListing: JSONValue = [
        "status": "lost", "name": "Argo", "breed": "Pastore tedesco", "lon": 14.79, "lat": 40.77,
        "description": "Red collar, shy", "contact_phone": "+39 333 1234567", "contact_phone_public": true,
    ]
}

extension Operation {
    static let feeds = [
        feed(.atom, "getAtomFeed", "The board for feed readers, as Atom"),
        feed(.rss, "getRSSFeed", "The board for feed readers, as RSS 2.0"),
    ]

    private static func feed(_ format: FeedFormat, _ id: String, _ summary: String) -> Operation {
        Operation(
            .get,
            "/feeds/listings.\(format)",
            id,
            .feeds,
            summary,
            description: "Newest first, with GeoRSS points and photos; `next` leads to older ones.",
            parameters: .listingFilters(and: [.limit(.feed), .cursor, .acceptLanguage, .ifNoneMatch]),
            responses: [
                .init(
                    200,
                    "The feed.",
                    headers: [.eTag, .lastModified, .cacheControl, .contentLanguage, .vary],
                    [.init(type: format.mediaType, schema: .text())]
                ), .unchanged([.lastModified, .cacheControl, .vary]),
            ],
            exampleQuery: "place=salerno&lang=it"
        )
    }
}
