package import Domain
package import HTTP

extension Schema {
    package static let longitude = number(-180...180)
    package static let latitude = number(-90...90)
    /// A text in a query, which is not empty.
    package static let queryText = filledText(QueryReader.maxTextLength)

    /// A line of text with something besides white space.
    package static func filledText(_ limit: Int) -> Schema {
        text(
            1...limit,
            pattern: #"^[\t-\r \u0085]*[^\s\u0000-\u001F\u007F-\u009F][^\u0000-\u001F\u007F-\u009F]*[\t-\r \u0085]*$"#
        )
    }

    /// A line of text without control characters, apart from white space at its ends.
    package static func plainText(_ limit: Int) -> Schema {
        text(0...limit, pattern: #"^[\t-\r \u0085]*[^\u0000-\u001F\u007F-\u009F]*[\t-\r \u0085]*$"#)
    }

    /// Lines of text without control characters, apart from line breaks and tabs.
    package static func plainLines(_ limit: Int) -> Schema {
        text(
            0...limit,
            pattern: #"^[\t-\r \u0085]*[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*[\t-\r \u0085]*$"#
        )
    }

    /// A time, or a date, which means the beginning of the day in UTC.
    package static let timestampOrDay = any(of: [timestamp, text(format: "date")])
}

extension Parameter {
    package static func id(of noun: String) -> Parameter {
        path("id", .uuid, "The id of the \(noun).", example: .sampleID)
    }

    package static let lon = query("lon", .longitude, "Degrees east; together with `lat`.", example: 14.79)
    package static let lat = query("lat", .latitude, "Degrees north; together with `lon`.", example: 40.77)
    package static let radius = query(
        "radius",
        .number(0...Coordinate.maxDistance).with("exclusiveMinimum", true),
        "Metres around `lon` and `lat`, and only with them.",
        example: 5000
    )
    package static let bbox = query(
        "bbox",
        .list(of: .number(-180...180), 4...4),
        "West, south, east, north in degrees; west beyond east crosses the antimeridian (RFC 7946).",
        example: [14.5, 40.6, 15.0, 41.0]
    )
    package static let lang = query(
        "lang",
        .choice(Language.self),
        "The language of names; else what `Accept-Language` prefers, else English.",
        example: "it"
    )
    package static let cursor = query(
        "cursor",
        .queryText,
        "Where the next page begins: as the `next` link of a page has it, with the same other parameters."
    )
    package static let acceptLanguage = header(
        "Accept-Language",
        .text(),
        "Languages as browsers prefer them; those of the pages are known.",
        example: "it"
    )
    package static let ifNoneMatch = header(
        "If-None-Match",
        .text(),
        "The `ETag` of what the client has: answers 304 where that is still right."
    )
    package static let ifMatch = header(
        "If-Match",
        .text(),
        "The `ETag` of what the client has: answers 412 where it was changed meanwhile."
    )
    package static let ifAbsent = header(
        "If-None-Match",
        .text(),
        "`*`, or the `ETag` of what must not be there: answers 412 where it is."
    )
    package static let idempotencyKey = header(
        "Idempotency-Key",
        .text(1...255, pattern: "^[!#-~]+$"),
        "What the sender calls this post, like a UUID: sent again within a day it is done once, and answered alike.",
        example: "8c1d2e3f-4a5b-4c6d-9e8f-0a1b2c3d4e5f"
    )
    package static let zoom = query(
        "zoom",
        .integer(QueryReader.zooms),
        "The zoom level of a web map with tiles of 256 pixels.",
        example: 6
    )

    package static func limit(_ size: PageSize) -> Parameter {
        query(
            "limit",
            .integer(1...size.maxLimit).with("default", JSONValue(size.defaultLimit)),
            "How many at most.",
            example: 10
        )
    }
}

extension JSONValue {
    /// The identifier in the examples.
    package static let sampleID: JSONValue = "3f8e2c1a-9d4b-4c6e-8f70-1b2a3c4d5e6f"
}
