/// A table whose rows a copy of a database takes over as they are.
package struct CopiedTable: Sendable {
    package let name: String
    /// Whether the triggers of the table run, because they write nothing but an index.
    let keepsTriggers: Bool
    /// The columns that are the same on both engines; nil for all.
    let comparedColumns: [String]?
    /// The number of rows that are in memory at once.
    let rowsAtOnce: Int

    private init(_ name: String) {
        self.name = name
        keepsTriggers = ["poi", "place", "place_area"].contains(name)
        // SQLite stores the boxes with 32 bits, rounded outwards.
        comparedColumns = name == "alert_area" ? ["id"] : nil
        // A mail can contain a picture of 100 kB.
        rowsAtOnce = name == "outgoing_mail" ? 100 : 2000
    }

    /// Each table comes after those that it refers to. A test compares the tables with the schemas.
    package static let all =
        ([
            "account", "session", "pending_registration", "password_reset", "address_change", "guest_link",
            "second_factor",
            "recovery_code", "organisation", "organisation_member", "organisation_invitation", "api_key", "breed",
            "listing",
            "listing_renewal", "shown_reunion", "listing_history", "match_candidate", "match_photo", "match_answer",
            "animal",
            "animal_listing", "animal_record", "sighting",
            "track", "track_point",
            "conversation", "message", "conversation_party", "block", "photo", "photo_leftover", "classification",
            "poi_source", "poi", "place_source", "place", "place_area", "place_word", "report_case", "report",
            "report_reason", "listing_hiding", "ban", "audit", "event", "outgoing_mail", "alert", "alert_listing",
            "alert_fan_out", "alert_area", "notification_settings", "notification", "notification_summary",
            "push_subscription", "webhook", "outgoing_event", "listing_import", "listing_import_row",
            "listing_import_key",
            "imported_listing", "import_feed", "import_plan", "remote_photo", "organisation_match_search",
            "organisation_match", "organisation_action", "listing_told", "social_account", "social_post",
        ] as [String]).map(CopiedTable.init)

    /// The tables that each engine fills for searches in its own way: `ListingDerivation`, and triggers of places.
    package static let derived: Set<String> = [
        "board", "board_cell", "board_count", "board_text", "archive_text", "facet", "listing_facet", "place_text",
    ]

    /// The tables of nodes, which only PostgreSQL has: files of imports, which `ImportFileCopy` copies to and from data
    /// folders, what nodes agree on when they start, the counters of limits, which begin anew, and the end of the audit
    /// log, which a database file has in the numbers of its keys.
    package static let onlyOnPostGIS: Set<String> = [
        "listing_import_file", "node_setting", "limit_secret", "limit_counter", "audit_end",
    ]

    /// The tables that migrations fill.
    package static let constant: Set<String> = ["cell_level", "cell_bits", "schema_version"]
}
