import Domain
import HTTP
import Imports
import OpenAPI

extension Operation {
    static let importFeeds = tagged(.imports) {
        get("/v1/import-feeds", "listImportFeeds", "The addresses whose files are imported at intervals, oldest first")
            .signedIn
            .answering(.json("The addresses.", .object(["import_feeds": .list(of: .named("ImportFeed"))])))
        post("/v1/import-feeds", "createImportFeed", "Import the file at an address at intervals")
            .signedIn.taking(.acceptLanguage)
            .described(
                """
                For registered accounts, at most \(ImportFeed.maxCount) each. The file is one that `POST /v1/imports` takes, and \
                is fetched within a minute, then every \(ImportFeed.defaultInterval) hours or as `every_hours` says. Each time is an \
                import with a report of its own. Addresses are https or http, on the public Internet; redirects are not followed. A server that answers 304 to \
                `If-None-Match` or `If-Modified-Since` starts no import.
                """
            )
            .sending(
                .json(
                    .named("NewImportFeed"),
                    example: ["url": "https://example.org/dogs.csv", "every_hours": 24, "close_missing": "true"]
                )
            )
            .answering(.json(status: 201, "The address.", .named("ImportFeed")))
            .failing(.notFound, .conflict)
        delete("/v1/import-feeds/{id}", "deleteImportFeed", "Fetch the file at an address no more")
            .signedIn.taking(.id(of: "address"))
            .described("Its listings and reports remain.")
        post("/v1/import-feeds/{id}/run", "runImportFeed", "Fetch the file at an address now")
            .signedIn.taking(.id(of: "address"))
            .answering(.nothing("It is fetched within a minute.", status: 202))
    }
}

extension Schema {
    private static let closing = choice(["true", "false", "all"])

    static let importFeeds: [String: Schema] = [
        "NewImportFeed": .request(
            ["url": .address],
            optional: [
                "every_hours": .integer(ImportFeed.intervals), "source": .text(1...ListingImport.maxSourceLength),
                "mapping": .choice(ImportMapping.Name.self), "close_missing": closing,
                "organisation": .uuid.orNull.described("The owner of the listings, of which one is a member."),
            ]
        ),
        "ImportFeed": .object(
            [
                "id": .uuid, "url": .address, "every_hours": .integer(ImportFeed.intervals), "source": .text(),
                "mapping": .choice(ImportMapping.Name.self), "close_missing": closing, "created_at": .timestamp,
                "next_at": .timestamp, "last_at": .timestamp.orNull,
                "last_outcome": .choice(ImportFeed.Outcome.self).orNull, "last_import": .address.orNull,
                "open_listings": .integer(atLeast: 0),
            ], optional: ["organisation": importOwner]),
    ]
}
