import Domain

extension Operation {
    /// The files that pages consist of, and flyers.
    static let files = [
        Operation(
            .get,
            "/listings/{id}/flyer.pdf",
            "getFlyer",
            .pages,
            "A flyer of A4 to print",
            access: .known,
            parameters: [.id, pageLanguage, .acceptLanguage],
            responses: [
                .file("The flyer.", type: "application/pdf", headers: [.contentDisposition, .cacheControl, .vary])
            ],
            errors: [.notFound],
            isStrict: false
        ),
        Operation(
            .get,
            "/account/export",
            "getAccountExport",
            .pages,
            "All that is kept of the account, as one ZIP file",
            access: .signedIn,
            responses: [.file("The file.", type: "application/zip", headers: [.contentDisposition, .cacheControl])],
            isStrict: false
        ),
        Operation(
            .get,
            "/map/settings",
            "getMapSettings",
            .pages,
            "Where the pictures of the map come from",
            parameters: [pageLanguage, .acceptLanguage],
            responses: [
                .json(
                    "The settings.",
                    Schema.object(["tiles": .text().orNull, "attribution": .text().orNull, "outlines": .text()])
                )
            ],
            isStrict: false
        ),
        Operation(
            .get,
            "/map/outlines",
            "getMapOutlines",
            .pages,
            "The bundled outlines, as fine as a map shows them",
            parameters: [Parameter.bbox.required, .zoom],
            responses: [
                .geoJSON(
                    "The outlines.",
                    Schema.object([
                        "type": .choice(["MultiPolygon"]),
                        "coordinates": .list(of: .list(of: .list(of: .list(of: .number(), 2...2)))),
                    ]),
                    headers: [.cacheControl]
                )
            ]
        ),
        asset("/sw.js", "getServiceWorker", "The service worker", types: ["text/javascript"]),
        asset(
            "/manifest.webmanifest",
            "getManifest",
            "What makes the pages an app",
            types: ["application/manifest+json"]
        ),
        asset(
            "/assets/{version}/{file}",
            "getAsset",
            "Styles, scripts and icons",
            parameters: [
                .path("version", .text(), "Of all files together.", example: "0"),
                .path("file", .text(), "The name.", example: "app.css"),
            ],
            types: ["text/css", "text/javascript", "image/svg+xml", "image/png"],
            errors: [.notFound]
        ),
        asset(
            "/leaflet/{file}",
            "getLeafletFile",
            "Leaflet, as the system has it installed",
            parameters: [.path("file", .text(), "The name.", example: "leaflet.js")],
            types: ["text/css", "text/javascript"],
            errors: [.notFound]
        ),
    ]

    private static func asset(
        _ path: String,
        _ id: String,
        _ summary: String,
        parameters: [Parameter] = [],
        types: [String],
        errors: [ErrorResponse] = []
    ) -> Operation {
        Operation(
            .get,
            path,
            id,
            .pages,
            summary,
            parameters: parameters,
            responses: [
                ResponseDescription(
                    200,
                    "The file.",
                    headers: [.cacheControl],
                    types.map { .init(type: $0, schema: $0.hasSuffix("json") ? .object([:]) : .text(format: "binary")) }
                )
            ],
            errors: errors,
            isStrict: false
        )
    }
}
