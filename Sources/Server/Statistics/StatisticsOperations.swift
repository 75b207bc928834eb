import Domain
import HTTP
import OpenAPI

extension Operation {
    static let statistics = tagged(.listings) {
        get("/v1/statistics", "getStatistics", "How many animals were missing and came home")
            .taking(
                .query("by", .choice(StatisticsInterval.self), "The periods; without it months.", example: "month"),
                .query("since", .timestampOrDay, "The first period is that of this moment.", example: "2026-01-01"),
                .query("until", .timestampOrDay, "Periods that begin before this moment.", example: "2026-12-31"),
                .query(
                    "status",
                    .list(of: .choice(Listing.Status.open.map(\.rawValue)), 1...),
                    "What listings were posted as, one or several.",
                    example: ["lost"]
                ), .species,
                .query("breed", .queryText, "A breed by its key or name; a type: all its breeds.", example: "beagle"),
                .query("region", .queryText, "A region by its name in English or Italian.", example: "Campania"),
                .query("format", .choice(StatisticsRoutes.Format.self), "Instead of `Accept`.", example: "json"), .lang
            )
            .described(
                """
                The numbers count all listings that are not hidden, by the day of posting and of the reunion in UTC. Two linked listings count as one \
                reunion, with the data of the listing of the lost animal. Counts are rounded down to a multiple of five, and `null` stands for fewer than \
                five. At most 1,000 periods, the newest. The figures are up to an hour old.
                """
            )
            .answering(
                .json(
                    "The periods, the oldest first. As CSV, an empty cell stands for `null`.",
                    .named("Statistics"),
                    headers: [.vary, .cacheControl, .contentDisposition]
                ).or(type: "text/csv")
            )
            .exampleQuery("by=month&region=Campania")
    }
}

extension Schema {
    static let statistics: [String: Schema] = [
        "Statistics": .object([
            "by": .choice(StatisticsInterval.self), "updated_at": .timestamp,
            "periods": .list(of: .named("StatisticsPeriod")), "links": .list(of: .named("Link")),
        ]),
        "StatisticsPeriod": .object([
            "start": .text(format: "date"), "end": .text(format: "date").described("The first day after the period."),
            "lost": count("Listings posted as lost."), "found": count("Listings posted as found."),
            "sighted": count("Listings posted as sighted."), "reunited": count("Animals that came home."),
            "reunited_by_match": count("Those whose two listings their owners linked."),
            "reunited_otherwise": count("The others."),
            "days": spread("Days from when the animal was seen last until the reunion."),
            "metres": spread("Metres between the public points of the two linked listings."),
        ]),
    ]

    private static func count(_ text: String) -> Schema { .integer(atLeast: 5).described(text).orNull }

    private static func spread(_ text: String) -> Schema {
        .object([
            "minimum": .integer(atLeast: 0).described("The bound of classes that no value is below."),
            "mean": .integer(atLeast: 0), "median": .integer(atLeast: 0),
            "maximum": .integer(atLeast: 1).described("The bound of classes that all values are below.").orNull,
        ]).described(text).orNull
    }
}
