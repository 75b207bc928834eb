import Domain
import Formats
import HTTP
import OpenAPI
import Pages
import Storage

extension Operation {
    static let listings = tagged(.listings) {
        get("/v1/listings", "searchListings", "Search the board")
            .known.taking(.listingSearch)
            .described(
                """
                Every condition narrows. Nearest first where a point is given, newest first else. Follow `next` for more: pages stay \
                right while listings come and go. Owners see all of their own listings' fields, others what is public.
                """
            )
            .answering(.geoJSON("A page of listings.", .named("ListingCollection"), headers: [.link]))
            .exampleQuery("status=lost,sighted&lon=14.8&lat=40.8&radius=5000")
        post("/v1/listings", "postListing", "Post a listing")
            .signedIn.taking(.acceptLanguage, .idempotencyKey)
            .described(
                """
                A point alone is enough, the gazetteer tells the town; a town alone is enough too. Contacts that are left out come \
                from the profile.
                """
            )
            .sending(.json(.named("NewListing"), example: exampleListing))
            .answering(.geoJSON(status: 201, "The listing, whole.", .named("Listing"), headers: [.location, .eTag]))
            .failing(.notFound, .conflict)
        get("/v1/listings/{id}", "getListing", "One listing")
            .known.taking(.id, .ifNoneMatch)
            .answering(.geoJSON("The listing.", .named("Listing")))
        patch("/v1/listings/{id}", "editListing", "Change a listing")
            .signedIn.taking(.id, .ifMatch, .acceptLanguage)
            .described("A merge patch (RFC 7396): null clears, what is left out stays.")
            .sending(.mergePatch(.named("ListingPatch"), example: ["status": "reunited"]))
            .answering(.geoJSON("The listing as it is now.", .named("Listing")))
            .failing(.conflict)
        delete("/v1/listings/{id}", "deleteListing", "Delete a listing and its photos")
            .signedIn.taking(.id, .ifMatch)
        post("/v1/listings/{id}/renewal", "renewListing", "Say that a listing still holds")
            .signedIn.taking(.id)
            .described(
                """
                It stands for \(Expiry.listing) days more. One that ended, since nobody renewed it, is again what it was. Any edit by its \
                owner renews it as well.
                """
            )
            .answering(.geoJSON("The listing as it is now.", .named("Listing"), headers: [.eTag]))
        get("/v1/me/listings", "listOwnListings", "One's own listings")
            .signedIn
            .taking(
                .listingSearch + [
                    .query(
                        "organisation",
                        .uuid,
                        "The listings of an organisation that one is a member of.",
                        example: .sampleID
                    )
                ]
            )
            .described("The same search among one's own, of any status unless `status` says otherwise.")
            .answering(.geoJSON("A page of listings.", .named("ListingCollection"), headers: [.link]))
            .failing(.notFound)
        get("/v1/listings/count", "countListings", "How many a search would find")
            .taking(.listingFilters())
            .answering(.json("The number.", .named("Count"), example: ["count": 128, "exact": true]))
            .exampleQuery("bbox=6,36,19,48&species=cat")
        get("/v1/listings/clusters", "clusterListings", "How many are where, for a web map")
            .taking(.listingFilters(and: [.zoom]))
            .answering(.geoJSON("Parts of the map.", .named("ClusterCollection"), headers: [.link]))
            .exampleQuery("bbox=6,36,19,48&zoom=6&status=lost")
        get("/v1/listings/stream", "watchListings", "What happens on the board, as it happens")
            .taking(
                .listingFilters(and: [
                    .acceptLanguage,
                    .query(
                        "last_event_id", .text(pattern: "^[0-9]{1,18}$"), "As `Last-Event-ID`, which counts before it."),
                    .header(
                        "Last-Event-ID",
                        .text(pattern: "^[0-9]{1,18}$"),
                        "The last event seen: what was missed comes first."
                    ),
                ])
            )
            .described(
                """
                Server-Sent Events that never end: `listing.created` and `listing.updated` with `{"id": ..., "feature": ...}`, \
                `listing.removed` with the id alone, also of what does not pass the filters any more. `reset` says that too much was missed: \
                search anew.
                """
            )
            .answering(
                .text(
                    "The stream.",
                    type: "text/event-stream",
                    headers: [.cacheControl],
                    example:
                        "id: 17\nevent: listing.removed\ndata: {\"id\":\"3f8e2c1a-9d4b-4c6e-8f70-1b2a3c4d5e6f\"}\n\n"
                )
            )
        get("/v1/listings.csv", "exportListingsAsCSV", "All that a search finds as CSV")
            .taking(.listingFilters())
            .described(
                "Oldest first, what everybody sees, streamed however long. Its columns are the fields of a listing."
            )
            .answering(
                .text("Rows under a line of names.", type: "text/csv", headers: [.contentDisposition, .cacheControl])
            )
            .exampleQuery("place=salerno")
        get("/v1/listings.geojson", "exportListingsAsGeoJSON", "All that a search finds as GeoJSON")
            .taking(.listingFilters())
            .described("Oldest first, what everybody sees, streamed however long.")
            .answering(
                .geoJSON("All listings.", .named("ListingExport"), headers: [.contentDisposition, .cacheControl])
            )
            .exampleQuery("status=lost,reunited")
    }

    private static let exampleListing: JSONValue = [
        "status": "lost", "name": "Argo", "breed": "Pastore tedesco", "lon": 14.79, "lat": 40.77,
        "description": "Red collar, shy", "contact_phone": "+39 333 1234567", "contact_phone_public": true,
    ]
}

extension Operation {
    static let feeds = tagged(.feeds) {
        feed(.atom, "getAtomFeed", "The board for feed readers, as Atom")
        feed(.rss, "getRSSFeed", "The board for feed readers, as RSS 2.0")
    }

    private static func feed(_ format: FeedFormat, _ id: String, _ summary: String) -> Operation {
        get("/feeds/listings.\(format)", id, summary)
            .taking(.listingFilters(and: [.limit(.feed), .cursor, .acceptLanguage, .ifNoneMatch]))
            .described("Newest first, with GeoRSS points and photos; `next` leads to older ones.")
            .answering(
                .text(
                    "The feed.",
                    type: format.mediaType,
                    headers: [.lastModified, .cacheControl, .contentLanguage, .vary]
                )
            )
            .exampleQuery("place=salerno&lang=it")
    }
}
