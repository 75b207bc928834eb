import Pages

extension Operation {
    static let feeds = [
        feed(.atom, "getAtomFeed", "The board for feed readers, as Atom"),
        feed(.rss, "getRSSFeed", "The board for feed readers, as RSS 2.0"),
    ]

    private static func feed(_ format: ListingFeed.Format, _ id: String, _ summary: String) -> Operation {
        Operation(
            .get,
            "/feeds/listings.\(format)",
            id,
            .feeds,
            summary,
            description: "Newest first, with GeoRSS points and photos; `next` leads to older ones.",
            parameters: Parameter.listingFilters + [.limit(.feed), .cursor, .acceptLanguage, .ifNoneMatch],
            responses: [
                ResponseDescription(
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
