import Domain
import HTTP
import Imports
import OpenAPI

extension Operation {
    static let imports = tagged(.imports) {
        get("/v1/imports", "listImports", "The own imports, newest first")
            .signedIn.taking(.limit(.imports), .cursor)
            .answering(.json("The imports.", .named("ImportList"), headers: [.link]))
        post("/v1/imports", "createImport", "Import listings from a file")
            .signedIn
            .taking(
                .query("dry_run", .flag, "`true` to write only the report.", example: true),
                .query(
                    "close_missing",
                    .choice(["true", "false", "all"]),
                    """
                    `true` closes open listings that earlier imports of the same source made and that are not in the file, \
                    unless these are more than half of them. `all` closes them even then.
                    """
                ),
                .query(
                    "source",
                    .text(1...ListingImport.maxSourceLength, pattern: #"^[A-Za-z0-9][A-Za-z0-9._-]*$"#),
                    "A short name that separates several files of one account; `default` if it is left out.",
                    example: "shelter"
                ),
                .query("mapping", .choice(ImportMapping.Name.self), "What the columns mean; `auto` if it is left out."),
                .query(
                    "contacts",
                    .choice(ContactVisibility.self),
                    """
                    Decides who sees the telephone numbers and e-mail addresses of the file, where the row does not say so. If it is left \
                    out, those of organisations are public and those of persons private.
                    """
                ),
                .query("organisation", .uuid, "The organisation that owns the listings, of which one is a member."),
                .lang, .acceptLanguage
            )
            .described(
                """
                CSV, a spreadsheet (.xlsx or .ods), a GeoJSON FeatureCollection or a JSON array of objects of at most \(ListingImport.maxFileSize >> 20) MiB and \(ListingImport.maxRows) \
                rows, for registered accounts. The rows are written in the background; rows with mistakes are left out and \
                reported. The same `reference` again changes its listing, so the same file again changes nothing. The addresses in \
                columns such as `photos` are fetched after that, at most \(ListingPhoto.maxCount) for each row. A ZIP file of at most \(ListingImport.maxArchiveSize >> 20) MiB has \
                photos for listings that exist: `A-12.jpg`, `A-12-2.jpg` or `A-12/dog.jpg` for the reference `A-12`.
                """
            )
            .sending(
                RequestBodyDescription(
                    [
                        ("text/csv", .text(format: "binary"), .string(sample)),
                        ("application/geo+json", .named("ImportedFeatures"), nil),
                        (ImportRoutes.json, .named("ImportedObjects"), nil),
                    ] + (ImportRoutes.spreadsheets + [ImportRoutes.zip]).map { ($0, .text(format: "binary"), nil) })
            )
            .answering(.json(status: 202, "The import, which waits.", .named("Import"), headers: [.location]))
            .failing(.notFound, .diskFull)
        get("/v1/imports/{id}", "getImport", "One import and how far it is")
            .signedIn.taking(.id(of: "import"))
            .answering(.json("The import.", .named("Import")))
        delete("/v1/imports/{id}", "deleteImport", "Cancel an import, or delete the report of one that has ended")
            .signedIn.taking(.id(of: "import"))
            .described("The listings that it has written remain.")
        get("/v1/imports/{id}/rows", "listImportRows", "What became of each row")
            .signedIn
            .taking(
                .id(of: "import"),
                .query("outcome", .list(of: .choice(ImportedRow.Outcome.self), 1...), "Only rows with these outcomes."),
                .query("format", .choice(ImportReportFormat.self), "`json` if it is left out."),
                .limit(.importRows), .cursor
            )
            .described("With `format=csv`, all rows as one file.")
            .answering(
                .json("The rows.", .named("ImportRows"), headers: [.link, .contentDisposition])
                    .or(type: "text/csv", .text(format: "binary"))
            )
    }

    private static let sample = """
        reference,status,name,breed,last_seen_at,place
        A-1,lost,Argo,Beagle,20/11/2026 18:30,Fisciano (SA)

        """
}

extension Schema {
    static let importOwner = Schema.named("OrganisationLabel").described("The organisation that owns the listings.")

    static let imports: [String: Schema] = [
        // The members are read in the background, and their mistakes are in the report.
        "ImportedFeatures": .object([:]).described("A FeatureCollection, RFC 7946."),
        "ImportedObjects": .object([:]).described(
            "The first array of objects in it has the rows, whose members are the columns. An array alone is read, too."
        ),
        "ImportList": .object([
            "imports": .list(of: .named("Import")), "numberReturned": .integer(atLeast: 0),
            "links": .list(of: .named("Link")),
        ]),
        "Import": .object(
            [
                "id": .uuid, "state": .choice(ListingImport.State.self), "source": .text(), "mapping": .text(),
                "dry_run": .flag, "close_missing": .choice(["true", "false", "all"]),
                "problem": .text().orNull.described("Why it failed, for programs."), "message": .text().orNull,
                "rows": .object([
                    "total": .integer(atLeast: 0).orNull, "read": .integer(atLeast: 0), "created": .integer(atLeast: 0),
                    "updated": .integer(atLeast: 0), "unchanged": .integer(atLeast: 0), "closed": .integer(atLeast: 0),
                    "rejected": .integer(atLeast: 0),
                ]),
                "photos": .object(
                    [
                        "total": .integer(atLeast: 0), "waiting": .integer(atLeast: 0),
                        "retried": .integer(atLeast: 0).described(
                            "Those of `waiting` that failed and are tried again."),
                        "stored": .integer(atLeast: 0),
                        "failed": .integer(atLeast: 0),
                    ],
                    optional: [
                        "problems": .list(
                            of: .object([
                                "problem": .choice(RemotePhoto.Problem.self), "host": .text(),
                                "count": .integer(atLeast: 1), "url": .text().described("One of the addresses."),
                            ])
                        ).described("Why photos were not fetched. Some of them are tried again.")
                    ]
                ).described("The photos at the addresses in its rows."),
                "progress": .number(0...1).orNull.described("The part of the rows that was read."),
                "unknown_columns": .list(of: .text()), "created_at": .timestamp, "started_at": .timestamp.orNull,
                "ended_at": .timestamp.orNull, "report": .address,
            ], optional: ["organisation": importOwner]),
        "ImportRows": .object([
            "rows": .list(
                of: .object([
                    "row": .integer(atLeast: 1).orNull.described(
                        "Without the header; null for listings that were closed."
                    ),
                    "reference": .text().orNull, "outcome": .choice(ImportedRow.Outcome.self), "listing": .uuid.orNull,
                    "field": .text().orNull, "column": .text().orNull.described("The name of the field in the file."),
                    "value": .text().orNull.described("The value of the field in the file."), "message": .text().orNull,
                ])
            ), "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ]),
    ]
}
