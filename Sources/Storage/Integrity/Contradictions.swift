import Domain

extension DatabaseCheck {
    /// Queries for rows that contradict others, by the names of the checks. They follow what is wrong with a row, in which
    /// `#` stands for its first column.
    static let contradictions: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "photos for matches": [
            "listing # has photos for matches, but no texts that were read": """
            SELECT listing_id FROM match_photo EXCEPT SELECT listing_id FROM match_candidate WHERE subject IS NOT NULL
            """
        ],
        "leftover photos": [
            "photo # is there and about to go": "SELECT uuid FROM photo WHERE uuid IN (SELECT uuid FROM photo_leftover)"
        ],
        "codes of listings": [
            "listing # has no code": """
            SELECT uuid FROM listing
            WHERE code IS NULL OR length(code) <> \(ListingCode.length) OR trim(code, '\(ListingCode.alphabet)') <> ''
            """,
            "several listings have the code #": """
            SELECT code FROM listing WHERE code IS NOT NULL GROUP BY code HAVING count(*) > 1
            """,
        ],
        // The rows of `conversation_party` must agree with the messages of the conversation.
        "conversations": [
            "conversation # is told of otherwise than it is": """
            SELECT own.conversation_id
            FROM conversation_party AS own JOIN conversation ON conversation.id = own.conversation_id
            JOIN listing ON listing.id = conversation.listing_id
            WHERE own.listing_id <> listing.id
                OR own.account_id <> CASE WHEN own.is_owner THEN listing.account_id ELSE writer_id END
                OR own.last_id <> (
                    SELECT coalesce(max(id), 0) FROM message
                    WHERE message.conversation_id = own.conversation_id AND message.id > own.cleared_id
                        AND (is_owners = own.is_owner OR is_delivered))
                OR own.unread > (
                    SELECT count(*) FROM message
                    WHERE message.conversation_id = own.conversation_id AND is_owners <> own.is_owner AND is_delivered)
                OR own.name IS DISTINCT FROM (
                    SELECT contact_name FROM message
                    WHERE message.conversation_id = own.conversation_id AND is_owners = own.is_owner AND is_delivered
                        AND contact_name IS NOT NULL
                    ORDER BY id DESC LIMIT 1)
            """,
            "conversation # is not of two": """
            SELECT id FROM conversation
            WHERE (SELECT count(*) FROM conversation_party WHERE conversation_id = conversation.id) <> 2
            """,
        ],
        "sightings": [
            "sighting # is not of the owner of its listing": """
            SELECT sighting.id FROM sighting JOIN listing ON listing.id = listing_id
            WHERE owner_id <> listing.account_id
            """,
            "the history of listing # does not end as it is": """
            SELECT listing.id FROM listing JOIN listing_history AS change ON change.id = (
                SELECT max(id) FROM listing_history
                WHERE listing_id = listing.id AND listing_history.status IS NOT NULL)
            WHERE change.status <> listing.status
            """,
        ],
        "tracks": [
            "track # has too many points": """
            SELECT track_id FROM track_point GROUP BY track_id HAVING count(*) > \(Track.maxPoints)
            """,
            "track # is open, its listing is not": """
            SELECT track.id FROM track JOIN listing ON listing.id = listing_id
            WHERE closed_at IS NULL AND status <> 'lost'
            """,
        ],
        "alerts": [
            "alert # has no area": """
            SELECT id FROM alert
            WHERE search IS NOT NULL AND organisation_id IS NULL AND 2 * id NOT IN (SELECT id FROM alert_area)
            """,
            "area # has no alert": "SELECT id FROM alert_area WHERE id / 2 NOT IN (SELECT id FROM alert)",
        ],
        "imports": [
            "listing # was imported by another account than its owner": """
            SELECT listing_id FROM imported_listing CROSS JOIN listing
            WHERE listing.id = listing_id AND imported_listing.account_id <> listing.account_id
            """
        ],
        "hidden listings": [
            "listing # is hidden without a reason, or shown in spite of one": """
            SELECT uuid FROM listing
            WHERE hidden <> (id IN (SELECT listing_id FROM listing_hiding)
                OR account_id IN (SELECT account_id FROM ban))
            """
        ],
        // The counts and times of a case must agree with its reports and with the reported subject, as long as those exist.
        // Guests can become registered users, but not the reverse.
        "reports": [
            "case # does not say what its reports come to": """
            SELECT report_case.id
            FROM report_case LEFT JOIN report ON case_id = report_case.id
                LEFT JOIN account ON account.id = report.account_id
            GROUP BY 1
            HAVING reports <> count(report.id)
                OR registered > count(CASE WHEN role IS DISTINCT FROM 'guest' THEN report.id END)
                OR reported_at <> (SELECT created_at FROM report WHERE case_id = report_case.id ORDER BY id LIMIT 1)
                OR last_reported_at <> (
                    SELECT created_at FROM report WHERE case_id = report_case.id ORDER BY id DESC LIMIT 1)
            """,
            "case # is not of what was reported": """
            SELECT report_case.id FROM report_case JOIN listing ON listing.id = listing_id
            WHERE report_case.account_id <> listing.account_id OR subject = 'listing' AND subject_uuid <> listing.uuid
            UNION ALL
            SELECT report_case.id FROM report_case JOIN message ON message.uuid = subject_uuid
            WHERE subject = 'message' AND evidence IS DISTINCT FROM text
            """,
        ],
        // Other accounts may be disabled, too: some were disabled before bans existed.
        "bans": [
            "account # is banned, but not shut out": """
            SELECT uuid FROM account WHERE NOT disabled AND id IN (SELECT account_id FROM ban)
            """
        ],
    ]
}
