import Domain
import Mustache

/// The privacy text of a site whose operator has written none: what the program stores, shows and deletes.
package struct DefaultPrivacyView: PageView {
    package static let template = "default-privacy"
    let stored: [RowView]
    let chapters: [Chapter]

    struct Chapter: TemplateView {
        let heading: String
        let paragraphs: [String]
    }
}

/// The legal notice of a site whose operator has written none.
package struct DefaultImprintView: PageView {
    package static let template = "default-imprint"
}

/// How the service is set up, as far as it matters to the privacy of its users.
package struct PrivacySetup: Sendable {
    /// The host that browsers load map tiles from; nil if this is the site itself.
    package var tileHost: String?
    package var asksForStreetPictures = false
    package var sendsMail = false
    /// Whether the database keeps digests of addresses, which count towards the limits of several servers.
    package var keepsDigests = false
    /// Whether photos are in a bucket of an object store.
    package var hasBucket = false

    package init() {}
}

/// The kinds of personal data that the privacy text tells about, each with a text of its own.
package enum StoredData: String, CaseIterable, Sendable {
    case account
    case listings
    case messages
    case sightings
    case tracks
    case alerts
    case organisations
    case reports

    /// The sections of the export of personal data that the text tells about. A test compares them with the export.
    package var sections: Set<String> {
        switch self {
        case .account: ["account", "sessions", "second_factor", "private_link", "unconfirmed", "waiting_mails"]
        case .listings:
            [
                "photos", "history", "match_answers", "possible_finds", "told_readers", "animals", "animal_records",
                "shown_reunions", "posts_elsewhere",
            ]
        case .messages: ["messages", "blocks"]
        case .sightings: ["sightings"]
        case .tracks: ["tracks", "track_points"]
        case .alerts:
            [
                "alerts", "alert_listings", "notification_settings", "notifications", "push_subscriptions", "webhooks",
                "waiting_events",
            ]
        case .organisations:
            [
                "memberships", "organisation_actions", "invitations", "api_keys", "imports", "import_feeds",
                "social_accounts",
                "import_plans", "import_photos", "import_rows",
                "imported_listings",
            ]
        case .reports: ["reports", "decisions"]
        }
    }
}

extension PageBuilder {
    package func defaultImprint() -> DefaultImprintView { DefaultImprintView() }

    package func defaultPrivacy(_ setup: PrivacySetup) -> DefaultPrivacyView {
        func chapter(_ name: String, _ paragraphs: [String]) -> DefaultPrivacyView.Chapter {
            .init(heading: localizer("privacy.\(name)"), paragraphs: paragraphs)
        }
        func texts(_ keys: String...) -> [String] { keys.map { localizer("privacy.\($0)") } }
        return DefaultPrivacyView(
            stored: StoredData.allCases.map {
                RowView(label: localizer("privacy.data.\($0)"), value: localizer("privacy.stored.\($0)"))
            },
            chapters: [
                chapter("seen", texts("seenByAll", "seenByOwner", "seenByParties")),
                chapter("logs", texts("addresses", "logLines") + (setup.keepsDigests ? texts("digests") : [])),
                chapter("cookies", texts("cookieList", "device")),
                chapter("others", otherServices(setup)),
                chapter("kept", retention),
                chapter("rights", texts("rightsHere", "rightsThere")),
            ]
        )
    }

    private func otherServices(_ setup: PrivacySetup) -> [String] {
        var keys = ["push"]
        keys.append("social")
        if setup.asksForStreetPictures { keys.append("streetPictures") }
        if setup.sendsMail { keys.append("mail") }
        if setup.hasBucket { keys.append("bucket") }
        let tiles = setup.tileHost.map { localizer("privacy.tiles", ["host": $0]) } ?? localizer("privacy.noTiles")
        return [tiles] + keys.map { localizer("privacy.\($0)") }
    }

    private var retention: [String] {
        func days(_ role: Account.Role) -> String { localizer.number(Int(role.sessionLifetime.idle / 86_400)) }
        return [
            localizer("privacy.keptListings", ["days": localizer.number(Expiry.listing)]),
            localizer("privacy.keptSessions", ["guest": days(.guest), "user": days(.user)]),
            localizer("privacy.keptReports", ["days": localizer.number(Expiry.report)]),
        ]
    }
}
