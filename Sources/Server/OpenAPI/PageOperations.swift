import Domain
import HTTPTypes
import Pages
import Storage

extension Operation {
    /// What people see in a browser. A page answers with a page where something is wrong, too; programs that do not ask for
    /// `text/html` get problem details.
    static let pages = [
        page("/board", "getBoardPage", "The board", parameters: board, responses: [refusedSearch]),
        page(
            "/embed",
            "getEmbeddedBoard",
            "The board within another site",
            parameters: board,
            responses: [refusedSearch]
        ),
        page("/map", "getMapPage", "The map", parameters: map),
        page("/photo-search", "getPhotoSearchPage", "The form that searches by a photo"),
        page("/post", "getPostPage", "The form that posts a listing", headers: [.contentLanguage, .setCookie]),
        page(
            "/my",
            "getOwnListingsPage",
            "One's own listings",
            parameters: [Parameter.cursor.orEmpty],
            errors: [.invalid]
        ),
        page("/listings/{id}", "getListingPage", "A listing to share", parameters: [.id], errors: [.notFound]),
        page("/listings/{id}/card", "getListingCard", "A listing as a card", parameters: [.id], errors: [.notFound]),
        ownersPage("/listings/{id}/edit", "getEditPage", "The form that changes a listing"),
        ownersPage("/listings/{id}/delete", "getDeletePage", "Whether a listing is to be deleted"),
        page("/account", "getAccountPage", "The profile, or the ways in"),
        page(
            "/account/verify",
            "getVerifyPage",
            "Whether an address is yours",
            parameters: [emailToken],
            responses: [.page(status: 404, "The token is of no use any more.")]
        ),
        page(
            "/account/reset",
            "getResetPage",
            "The form that asks for a mail for a new password",
            responses: [.page(status: 404, "The service sends no mails.")]
        ),
        page(
            "/account/new-password",
            "getNewPasswordPage",
            "The form of a new password",
            parameters: [emailToken]
        ),
        page("/account/delete", "getAccountDeletePage", "Whether the account is to be deleted", access: .signedIn),
        page(
            "/report",
            "getReportPage",
            "The form that tells moderators of something",
            parameters: [
                Parameter.query("subject", .choice(Report.Subject.self), "What it is.", example: "listing").required,
                Parameter.query("id", .uuid, "Of it.", example: .string(Sample.listing)).required,
            ],
            headers: [.contentLanguage, .setCookie],
            errors: [.forbidden, .notFound]
        ),
        page(
            "/moderation",
            "getModerationPage",
            "What moderators have to decide",
            access: .admin,
            parameters: [
                Parameter.query("status", .choice(Report.Status.self), "Whether it is decided, and how.").orEmpty,
                Parameter.query("sort", .choice(ReportStore.Query.Order.self), "As in the list.").orEmpty,
                Parameter.cursor.orEmpty,
            ],
            errors: [.forbidden]
        ),
        page(
            "/moderation/audit",
            "getAuditPage",
            "What admins did",
            access: .admin,
            parameters: [
                Parameter.query("action", .choice(Audit.Action.self), "What was done.").orEmpty,
                Parameter.query("actor", .queryText, "Who did it.").orEmpty,
                Parameter.query("subject", .queryText, "What it was done to.").orEmpty, Parameter.cursor.orEmpty,
            ],
            errors: [.forbidden]
        ),
        page("/api", "getInterfacePage", "This document for people"),
        page("/offline", "getOfflinePage", "What is shown without a connection"),
    ]
}

// MARK: - What they share

extension Operation {
    static let pageLanguage = Parameter.query(
        "lang",
        .text(),
        "`en` or `it`, which a cookie then keeps; else the cookie's, else what `Accept-Language` prefers.",
        example: "it"
    )
    /// As a search of the board has them, as forms send them.
    private static let board =
        (searchListings.parameters.filter { BoardFilters.names.contains($0.name) && $0.name != "radius" } + [
            aroundTown, .cursor,
        ])
        .map(\.orEmpty)
    private static let aroundTown = Parameter.query(
        "radius",
        Parameter.radius.schema,
        "Metres around `place`, or around `lon` and `lat`.",
        example: 10_000
    )
    private static let map = (BoardFilters.names + ["zoom"]).map {
        Parameter.query(
            $0,
            .text(),
            $0 == "zoom" ? "From 1 to 19." : "As on the board; what cannot be read is left alone."
        )
    }
    private static let emailToken = Parameter.query("token", .text(), "That of the mail.")
    private static let refusedSearch = ResponseDescription.page(
        status: 400,
        "The board without listings, and what is wrong."
    )
    static func page(
        _ path: String,
        _ id: String,
        _ summary: String,
        access: Access = .known,
        parameters: [Parameter] = [],
        headers: [ResponseDescription.Header] = [.contentLanguage],
        responses: [ResponseDescription] = [],
        errors: [ErrorResponse] = []
    ) -> Operation {
        Operation(
            .get,
            path,
            id,
            .pages,
            summary,
            access: access,
            parameters: parameters + [pageLanguage, .acceptLanguage],
            responses: [.page("The page.", headers: headers)] + responses,
            errors: errors,
            isStrict: false
        )
    }

    private static func ownersPage(_ path: String, _ id: String, _ summary: String) -> Operation {
        page(path, id, summary, access: .signedIn, parameters: [.id], errors: [.forbidden, .notFound])
    }
}
