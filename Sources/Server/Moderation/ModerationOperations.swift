import Domain
import HTTP
import OpenAPI
import Storage

extension Operation {
    static let moderation = tagged(.moderation) {
        post("/v1/reports", "fileReport", "Report a listing, a photo, a message or a sighting to the moderators")
            .signedIn
            .described(
                """
                Once for each reporter and subject: a repetition changes nothing and is answered alike. Nobody is told who reported. The id of \
                a photo is that in its addresses. `appeal` is for a hidden listing of one's own. Only who sent or got a message may report it, \
                and a sighting only who sees it.
                """
            )
            .sending(
                .json(
                    .named("NewReport"),
                    example: ["subject": "listing", "id": .sampleID, "reason": "scam", "text": "Asks for money."]
                )
            )
            .answering(.json(status: 202, "Moderators will look at it.", .named("ReceivedReport")).withoutCacheControl)
            .failing(.notFound, .conflict)
        get("/v1/admin/reports", "listReports", "What was reported, each subject once")
            .admin
            .taking(
                .query(
                    "status", .choice(Report.Status.self).with("default", "open"), "Whether it is decided, and how."),
                .query(
                    "sort",
                    .choice(ReportStore.Query.Order.self).with("default", "reported_at"),
                    "The oldest first, or those that most have reported."
                ),
                .query(
                    "q", .queryText,
                    """
                    Only what belongs to listings that `q` of the board would find, hidden and closed ones too, or where all words are in \
                    what was said, in the latest reports, or in the id of the owner.
                    """,
                    example: "cane nero"
                ), .limit(.reports), .cursor, .acceptLanguage
            )
            .answering(.json("A page of them.", .named("ReportList"), headers: [.link]))
        get("/v1/admin/reports/{id}", "getReport", "What was reported, with up to 100 of the texts")
            .admin.taking(.id(of: "report"))
            .answering(.json("It.", .named("Report")))
        patch("/v1/admin/reports/{id}", "decideReport", "Dismiss or uphold what was reported")
            .admin.taking(.id(of: "report"))
            .described("A 409 says that another moderator was faster. What is reported later is a new report.")
            .sending(
                .mergePatch(
                    .named("ReportDecision"),
                    example: ["status": "dismissed", "note": "the owner called back"],
                    isRequired: true
                )
            )
            .answering(.json("As it is now.", .named("Report")))
            .failing(.conflict)
        action("listings", "hide", "hideListing", "Hide a listing from all but its owner and admins")
            .described("Its owner is told the reason. Upholds what was reported of it. \(conflict)")
            .sending(grounds(["reason": "scam", "note": "asks for money in advance"]))
        action("listings", "restore", "restoreListing", "Show a hidden listing again")
            .described("Dismisses what was reported of it, and upholds its owner's appeal. \(conflict)")
            .sending(grounds(["note": "the owner took the number out"], schema: "Note"))
        action("photos", "remove", "removePhoto", "Remove a photo of a listing for good")
            .described("Upholds what was reported of it. \(conflict)")
            .sending(grounds(["reason": "privacy"]))
        action("sightings", "remove", "removeSighting", "Remove a sighting of a lost animal for good")
            .described("Upholds what was reported of it. \(conflict)")
            .sending(grounds(["reason": "spam"]))
        action("accounts", "ban", "banAccount", "Shut an account out and hide all it posted")
            .described(
                """
                Its tokens are answered with a 403 that tells the reason, and so is who signs in to it. Upholds what was reported of it. \
                Admins cannot be banned. \(conflict)
                """
            )
            .sending(grounds(["reason": "spam", "until": "2030-01-01T00:00:00Z"], schema: "BanGrounds"))
        action("accounts", "unban", "unbanAccount", "Let a banned account in again, and show what it posted")
            .described("What is hidden for what it is stays hidden. \(conflict)")
            .sending(grounds(["note": "mistaken for another one"], schema: "Note"))
        get("/v1/admin/audit", "listAuditEntries", "What admins did, newest first")
            .admin
            .taking(
                .query("action", .choice(Audit.Action.self), "What was done."),
                .query("actor", .queryText, "The actor: the id of an account, `command-line:USER` or `service`."),
                .query("subject", .queryText, "What it was done to: an id, or the name of a source."),
                .query("since", .timestampOrDay, "At this moment or later.", example: "2026-01-01"),
                .query("until", .timestampOrDay, "Before this moment.", example: "2030-01-01"), .limit(.audit), .cursor
            )
            .answering(.json("A page of them.", .named("AuditList"), headers: [.link]))
    }

    private static let conflict = "A 409 says that it is so already."

    private static func action(_ nouns: String, _ verb: String, _ id: String, _ summary: String) -> Operation {
        post("/v1/admin/\(nouns)/{id}/\(verb)", id, summary)
            .admin.taking(.id(of: String(nouns.dropLast())))
            .failing(.conflict)
    }

    private static func grounds(_ example: JSONValue, schema: String = "Grounds") -> RequestBodyDescription {
        .json(.named(schema), example: example, isRequired: false)
    }
}

extension Schema {
    static let moderation: [String: Schema] = [
        "NewReport": .request(
            ["subject": .choice(Report.Subject.self), "id": .uuid, "reason": .choice(Report.Reason.self)],
            optional: ["text": .plainLines(Report.MaxLength.text).orNull]
        ),
        "ReceivedReport": .object(["subject": .choice(Report.Subject.self), "id": .uuid]),
        "Report": report,
        "ReportList": list("reports", of: "Report"),
        "ReportDecision": .request(["status": .choice(["dismissed", "upheld"])], optional: ["note": note]),
        "Grounds": .request(optional: ["reason": reason, "note": note]),
        "BanGrounds": .request(optional: [
            "reason": reason, "note": note, "until": .timestampOrDay.orNull.described("Without it for good."),
        ]),
        "Note": .request(optional: ["note": note]),
        "AuditEntry": .object([
            "id": .integer(atLeast: 1), "at": .timestamp, "actor": .text(),
            "action": .choice(Audit.Action.self), "subject": .text().orNull, "note": .text().orNull,
            "digest": .text(pattern: "^[0-9a-f]{64}$").described("SHA-256 of the entry and of the digest before."),
        ]),
        "AuditList": list("entries", of: "AuditEntry"),
    ]

    private static let moderatorsReason = choice(Report.Reason.ofModerators.map(\.rawValue))
    private static let reason = moderatorsReason.orNull.described("`other` where it is left out.")
    static let note = text(
        0...Report.MaxLength.note,
        pattern: #"^[\t-\r \u0085]*[^\u0000-\u001F\u007F-\u009F@]*[\t-\r \u0085]*$"#
    ).orNull.described("For the audit: nothing personal, no e-mail addresses.")

    private static let reasons = Dictionary(
        uniqueKeysWithValues: Report.Reason.allCases.map { ($0.rawValue, integer(atLeast: 1)) }
    )

    private static let report = object([
        "id": .uuid, "subject": .choice(Report.Subject.self), "subject_id": .uuid,
        "status": .choice(Report.Status.self), "reports": .integer(atLeast: 1),
        "reasons": .object([:], optional: reasons).described("How many gave which."),
        "registered": .integer(atLeast: 0).described("How many of them by registered accounts."),
        "reported_at": .timestamp.described("First."), "last_reported_at": .timestamp,
        "decided_at": .timestamp.orNull, "there": .flag.described("Whether the subject is still there."),
        "message": .text().orNull.described("The text of a message, or what a sighting says."),
        "copies": .integer(atLeast: 0).orNull.described(
            "How many other people got the same words in one of the last \(ReportStore.maxCompared) messages; null for"
                + " other subjects."),
        "photo_copies": .list(of: .uuid, 0...ReportStore.maxPhotoCopies).described(
            "The listings of other accounts that have a copy of a reported photo, the oldest first."),
        "photo": .attachedPhoto.described("That of a message or sighting, until the report is decided."),
        "listing_id": .uuid.orNull.described("The id of the listing, or of the listing of the photo."),
        "listing_hidden": .flag,
        "account": .object([
            "id": .uuid, "role": .choice(Account.Role.self),
            "ban": .object(["reason": moderatorsReason, "until": .timestamp.orNull]).orNull,
        ]).described("Whose it is."),
        "texts": .list(of: .object(["reason": .choice(Report.Reason.self), "text": .text(), "at": .timestamp]))
            .described("The latest, newest first."),
    ])

    private static func list(_ name: String, of item: String) -> Schema {
        .object([
            name: .list(of: .named(item)), "numberReturned": .integer(atLeast: 0), "links": .list(of: .named("Link")),
        ])
    }
}

extension PageSize {
    static let reports = PageSize(defaultLimit: 20, maxLimit: 100)
    static let audit = PageSize(defaultLimit: 50, maxLimit: 1000)
}
