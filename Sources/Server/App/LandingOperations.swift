import Domain

extension Operation {
    static let landing = [getLanding, getDocument]

    private static let getLanding = Operation(
        .get,
        "/",
        "getLanding",
        .operations,
        "Where to begin",
        description: "Who asks for `text/html` gets the board as `/board` shows it, with its parameters.",
        access: .known,
        parameters: [.query("f", .text(), "`json` for JSON whatever `Accept` says.", example: "json")],
        responses: [
            ResponseDescription(
                200,
                "The board, or links.",
                headers: [.vary],
                [
                    .init(
                        type: "application/json",
                        schema: .object(["title": .text(), "description": .text(), "links": .list(of: .named("Link"))])
                    ), .init(type: "text/html", schema: .text()),
                ]
            )
        ],
        exampleQuery: "f=json",
        isStrict: false
    )
    private static let getDocument = Operation(
        .get,
        "/openapi.json",
        "getOpenAPIDocument",
        .operations,
        "This document",
        parameters: [.ifNoneMatch],
        responses: [
            .json(
                "OpenAPI 3.0.3.",
                Schema.object(["openapi": .text(), "info": .object([:]), "paths": .object([:])]),
                type: OpenAPIDocument.mediaType,
                headers: [.eTag, .cacheControl]
            ), .unchanged([.cacheControl]),
        ],
        isStrict: false
    )
}
