import Domain
import Formats
import HTTP
import OpenAPI

extension OpenAPIDocument {
    init(_ baseURL: BaseURL) throws {
        try self.init(
            baseURL: baseURL,
            cookie: SessionCookie(baseURL),
            operations: Operation.all,
            schemas: Schema.components
        )
    }
}

extension Operation {
    /// All operations. A new route that serves no page needs an operation in one of these groups; a test compares the
    /// operations with the routes.
    static let all = [
        accounts, secondFactors, emailTokens, listings, suggestions, feeds, messages, matches, animals, alerts,
        sightings,
        photos, moderation,
        places,
        geocoders, features, tiles, landing, monitoring, searchAreas, microchips, tracks, statistics, channels,
        webhooks,
        organisations, organisationAnimals, animalRecords, members, social, imports, importFeeds,
    ].flatMap(\.self)
}

extension Schema {
    /// All schemas that operations refer to by name.
    static let components = [
        listings, suggestions, accounts, secondFactors, emailTokens, messages, matches, animals, alerts, sightings,
        photos,
        moderation,
        places, geocoders,
        features, tiles, operations, searchAreas, microchips, tracks, statistics, channels, organisations,
        animalRecords, social,
        imports, importFeeds,
    ].reduce(into: [:]) { $0.merge($1) { $1 } }
}

extension Operation {
    static let landing = tagged(.operations) {
        get("/", "getLanding", "Where to begin")
            .known.taking(.query("f", .text(), "`json` for JSON whatever `Accept` says.", example: "json"))
            .described("Requests that accept `text/html` get the board as `/board` shows it, with its parameters.")
            .answering(
                .json(
                    "The board, or links.",
                    .object(["title": .text(), "description": .text(), "links": .list(of: .named("Link"))]),
                    headers: [.vary]
                ).or(type: "text/html").withoutCacheControl
            )
            .exampleQuery("f=json")
            .lenient
        get("/openapi.json", "getOpenAPIDocument", "This document")
            .taking(.ifNoneMatch)
            .answering(
                .json(
                    "OpenAPI 3.0.3.",
                    .object(["openapi": .text(), "info": .object([:]), "paths": .object([:])]),
                    type: OpenAPIDocument.mediaType,
                    headers: [.cacheControl]
                )
            )
            .lenient
    }
}
