package import Domain
package import Foundation
import SQL

/// The data of one account, for export by its owner. Other routes export the listings and the files of photos.
package struct PersonalData: Sendable {
    private let database: any Database

    package init(_ database: any Database) { self.database = database }

    /// Photos of the account and its listings, and those of the sightings and messages in the other sections.
    private static let photos = """
        SELECT photo.id FROM listing CROSS JOIN photo WHERE photo.listing_id = listing.id AND listing.account_id = ?1
        UNION ALL SELECT id FROM photo WHERE account_id = ?1
        UNION ALL SELECT photo.id FROM sighting CROSS JOIN photo
        WHERE photo.sighting_id = sighting.id AND sighting.account_id = ?1
        UNION ALL SELECT photo.id FROM sighting CROSS JOIN photo
        WHERE photo.sighting_id = sighting.id AND sighting.owner_id = ?1 AND sighting.is_delivered
        UNION ALL SELECT photo.id
        FROM conversation_party AS own CROSS JOIN message CROSS JOIN photo
        WHERE message.conversation_id = own.conversation_id AND photo.message_id = message.id
            AND own.account_id = ?1 AND message.id > own.cleared_id AND (is_owners = own.is_owner OR is_delivered)
        """

    /// The names of the sections, and queries for their rows with the key of the account as the parameter `?1`. They omit the
    /// digests of tokens and passwords.
    package static let sections: KeyValuePairs<String, String> = [
        "account": """
        SELECT uuid AS id, role, email, email_confirmed, language, first_name, last_name, phone, picture, disabled,
            created_at, updated_at
        FROM account WHERE id = ?1
        """,
        "sessions": """
        SELECT uuid AS id, client, created_at, last_used_at, expires_at FROM session
        WHERE account_id = ?1 ORDER BY created_at
        """,
        // Without the secret and the codes, which open the account.
        "second_factor": """
        SELECT created_at, confirmed_at, last_step * 30000 AS last_code_at,
            (SELECT count(*) FROM recovery_code WHERE account_id = ?1 AND used_at IS NULL) AS recovery_codes_left,
            (SELECT max(used_at) FROM recovery_code WHERE account_id = ?1) AS recovery_code_used_at
        FROM second_factor WHERE account_id = ?1
        """,
        "private_link": "SELECT email, confirmed_at, expires_at FROM guest_link WHERE account_id = ?1",
        "shown_reunions": """
        SELECT uuid AS listing, shown_at FROM listing CROSS JOIN shown_reunion
        WHERE shown_reunion.listing_id = listing.id AND account_id = ?1 ORDER BY shown_at
        """,
        "unconfirmed": """
        SELECT 'registration' AS what, email, expires_at FROM pending_registration WHERE guest_id = ?1
        UNION ALL SELECT 'address', email, expires_at FROM address_change WHERE account_id = ?1
        UNION ALL SELECT 'password', NULL, expires_at FROM password_reset WHERE account_id = ?1
        """,
        "memberships": """
        SELECT uuid AS organisation, name, role, since, about, website, phone, email, address, lon, lat, verified_at,
            created_at
        FROM organisation_member JOIN organisation ON organisation.account_id = organisation_id
        WHERE organisation_member.account_id = ?1 ORDER BY since, uuid
        """,
        "invitations": """
        SELECT organisation.uuid AS organisation, organisation.name, invitation.email, invitation.role,
            invited_by = ?1 AS is_mine, invitation.created_at, expires_at
        FROM organisation_invitation AS invitation JOIN organisation ON organisation.account_id = organisation_id
        WHERE invited_by = ?1 OR invitation.email = (SELECT email FROM account WHERE id = ?1)
        ORDER BY invitation.id
        """,
        "api_keys": """
        SELECT api_key.uuid AS id, organisation.uuid AS organisation, api_key.name, scopes, api_key.created_at, expires_at,
            last_used_at
        FROM api_key JOIN organisation ON organisation.account_id = api_key.account_id
        WHERE created_by = ?1 OR api_key.account_id = ?1 ORDER BY api_key.id
        """,
        // Their texts may contain tokens.
        "waiting_mails": """
        SELECT recipient, subject, language, created_at, next_attempt_at, expires_at FROM outgoing_mail
        WHERE account_id = ?1 ORDER BY id
        """,
        "photos": """
        SELECT photo.uuid AS id, listing.uuid AS listing, number, sighting.uuid AS sighting, message.uuid AS message,
            width, height, photo.created_at, outcome, predictions, model, model_version,
            CASE WHEN vector IS NOT NULL THEN hex(vector) END AS vector, hash AS fingerprint
        FROM photo LEFT JOIN listing ON listing.id = photo.listing_id
            LEFT JOIN sighting ON sighting.id = photo.sighting_id
            LEFT JOIN message ON message.id = photo.message_id
            LEFT JOIN classification ON classification.photo_id = photo.id
        WHERE photo.id IN (\(photos))
        ORDER BY photo.id
        """,
        "messages": """
        SELECT message.uuid AS id, conversation.uuid AS conversation, listing.uuid AS listing,
            is_owners = own.is_owner AS is_mine, message.text, message.contact_name, message.contact_phone,
            message.contact_email, message.mark, message.lon, message.lat, message.place, message.created_at
        FROM conversation_party AS own CROSS JOIN conversation CROSS JOIN listing CROSS JOIN message
        WHERE conversation.id = own.conversation_id AND listing.id = conversation.listing_id
            AND message.conversation_id = conversation.id AND own.account_id = ?1 AND message.id > own.cleared_id
            AND (is_owners = own.is_owner OR is_delivered)
        ORDER BY message.id
        """,
        "sightings": """
        SELECT sighting.uuid AS id, listing.uuid AS listing, sighting.account_id = ?1 AS is_mine, sighting.state,
            lon, lat, sighting.place, seen_at, sighting.text, sighting.contact_phone, sighting.created_at
        FROM sighting JOIN listing ON listing.id = sighting.listing_id
        WHERE sighting.id IN (
            SELECT id FROM sighting WHERE account_id = ?1
            UNION ALL SELECT id FROM sighting WHERE owner_id = ?1 AND is_delivered)
        ORDER BY sighting.id
        """,
        "alerts": """
        SELECT alert.uuid AS id, alert.name, search, listing.uuid AS listing, min_probability, organisation.uuid AS organisation,
            paused, alert.created_at, alert.updated_at
        FROM alert LEFT JOIN listing ON listing.id = listing_id
            LEFT JOIN organisation ON organisation.account_id = organisation_id
        WHERE alert.account_id = ?1 ORDER BY alert.id
        """,
        "alert_listings": """
        SELECT alert.uuid AS alert, listing.uuid AS listing, alert_listing.status, probability,
            found_at
        FROM alert JOIN alert_listing ON alert_id = alert.id JOIN listing ON listing.id = alert_listing.listing_id
        WHERE alert.account_id = ?1 ORDER BY alert_id, alert_listing.listing_id
        """,
        "notification_settings": """
        SELECT email, frequency, summary_hour, likely_at_once, told_on, told FROM notification_settings
        WHERE account_id = ?1
        """,
        "notifications": """
        SELECT alert.uuid AS alert, listing.uuid AS listing, probability, in_summary, noted_at
        FROM notification JOIN alert ON alert.id = alert_id JOIN listing ON listing.id = notification.listing_id
        WHERE notification.account_id = ?1 ORDER BY notification.id
        """,
        // The secrets of browsers and webhooks are not part of it.
        "push_subscriptions": """
        SELECT uuid AS id, host AS service, language, created_at, failing_since FROM push_subscription
        WHERE account_id = ?1 ORDER BY id
        """,
        "webhooks": """
        SELECT uuid AS id, url, created_at, failing_since, disabled_at, last_outcome FROM webhook
        WHERE account_id = ?1 ORDER BY id
        """,
        // Those of organisations, without their tokens.
        "social_accounts": """
        SELECT uuid AS id, service, server, chat, name, lon, lat, radius, species, language, paused, problem, problem_at,
            created_at
        FROM social_account WHERE account_id = ?1 ORDER BY id
        """,
        // Where the account's listings were posted.
        "posts_elsewhere": """
        SELECT listing.uuid AS listing, service, social_account.name AS account, remote_id, noted_at
        FROM listing JOIN social_post ON listing_uuid = listing.uuid
            JOIN social_account ON social_account.id = social_account_id
        WHERE listing.account_id = ?1 ORDER BY social_post.id
        """,
        "waiting_events": """
        SELECT uuid AS id, host, type, payload, created_at, next_attempt_at, expires_at FROM outgoing_event
        WHERE account_id = ?1 ORDER BY id
        """,
        "imports": """
        SELECT uuid AS id, source, mapping, service, file_name, language, dry_run, close_missing, plan, state, problem, row_total,
            row_position, created_count, updated_count, unchanged_count, closed_count, rejected_count, created_at,
            started_at, ended_at
        FROM listing_import WHERE account_id = ?1 ORDER BY id
        """,
        "import_feeds": """
        SELECT uuid AS id, url, every_hours, source, mapping, language, close_missing, created_at, next_at, last_at,
            last_outcome, last_import, entity_tag, last_modified
        FROM import_feed WHERE account_id = ?1 ORDER BY id
        """,
        "import_photos": """
        SELECT listing.uuid AS listing, url, host, position, state, problem, attempt_count, due_at, photo_uuid AS photo
        FROM remote_photo JOIN listing ON listing.id = listing_id
        WHERE remote_photo.account_id = ?1 ORDER BY remote_photo.id
        """,
        "import_plans": """
        SELECT source, plan, updated_at FROM import_plan WHERE account_id = ?1 ORDER BY source
        """,
        "import_rows": """
        SELECT listing_import.uuid AS import, number, reference, outcome, listing_uuid AS listing, field, column_name,
            value, message
        FROM listing_import JOIN listing_import_row ON import_id = listing_import.id
        WHERE account_id = ?1 ORDER BY import_id, number
        """,
        "imported_listings": """
        SELECT listing.uuid AS listing, source, row_key
        FROM imported_listing JOIN listing ON listing.id = listing_id
        WHERE imported_listing.account_id = ?1 ORDER BY listing_id
        """,
        "tracks": """
        SELECT listing.uuid AS listing, number, kind, track.name, device, visibility, opened_at, closed_at
        FROM listing JOIN track ON listing_id = listing.id WHERE account_id = ?1 ORDER BY track.id
        """,
        "track_points": """
        SELECT listing.uuid AS listing, number, segment, CASE WHEN is_timed THEN position END AS time,
            track_point.lon, track_point.lat
        FROM listing JOIN track ON listing_id = listing.id JOIN track_point ON track_id = track.id
        WHERE account_id = ?1 ORDER BY track_id, segment, position
        """,
        "history": """
        SELECT listing.uuid AS listing, listing_history.at, listing_history.type, listing_history.former,
            listing_history.status
        FROM listing JOIN listing_history ON listing_id = listing.id
        WHERE listing.account_id = ?1 ORDER BY listing_history.id
        """,
        "blocks": """
        SELECT uuid AS id, about, created_at FROM block
        WHERE blocker_id = ?1 ORDER BY created_at, uuid
        """,
        "match_answers": """
        SELECT lost.uuid AS listing, found.uuid AS other, lost_answer AS answer, lost_answered_at AS answered_at,
            linked_at
        FROM listing AS lost CROSS JOIN match_answer CROSS JOIN listing AS found
        WHERE lost_id = lost.id AND found.id = found_id AND lost.account_id = ?1 AND lost_answer IS NOT NULL
        UNION ALL
        SELECT found.uuid, lost.uuid, found_answer, found_answered_at, linked_at
        FROM listing AS found CROSS JOIN match_answer CROSS JOIN listing AS lost
        WHERE found_id = found.id AND lost.id = lost_id AND found.account_id = ?1 AND found_answer IS NOT NULL
        """,
        "possible_finds": """
        SELECT lost.uuid AS listing, found.uuid AS other, probability
        FROM listing AS lost CROSS JOIN organisation_match CROSS JOIN listing AS found
        WHERE lost_id = lost.id AND found.id = organisation_match.listing_id AND lost.account_id = ?1
        ORDER BY lost_id, probability DESC, found.id
        """,
        "told_readers": """
        SELECT uuid AS listing, channel, messages, first_at, last_at
        FROM listing CROSS JOIN listing_told WHERE listing_id = listing.id AND account_id = ?1
        ORDER BY listing.id, channel
        """,
        "organisation_actions": """
        SELECT organisation.uuid AS organisation, at, action, subject, detail, key_name
        FROM organisation_action JOIN organisation ON organisation.account_id = organisation_id
        WHERE organisation_action.account_id = ?1 ORDER BY organisation_action.id
        """,
        "animal_records": """
        SELECT uuid AS listing, intake_on, intake, outcome_on, outcome, kennel, behaviour
        FROM listing CROSS JOIN animal_record WHERE listing_id = listing.id AND account_id = ?1 ORDER BY listing_id
        """,
        "animals": """
        SELECT uuid AS listing, joined_at, former_status, home_at FROM listing CROSS JOIN animal_listing
        WHERE listing_id = listing.id AND account_id = ?1
        """,
        "reports": """
        SELECT subject, subject_uuid AS id, reason, text, report.created_at
        FROM report JOIN report_case ON report_case.id = case_id
        WHERE report.account_id = ?1 ORDER BY report.id
        """,
        "decisions": """
        SELECT 'ban' AS what, NULL AS listing, reason, banned_at AS at, until FROM ban WHERE account_id = ?1
        UNION ALL
        SELECT 'hidden', uuid, reason, hidden_at, NULL
        FROM listing JOIN listing_hiding ON listing_id = listing.id WHERE account_id = ?1
        """,
    ]

    /// Returns the rows of every section by section name; each row is a dictionary by column name.
    package func overview(of account: Account) throws -> [String: [[String: JSONValue]]] {
        try database.readNow { db in
            let sections = try Self.sections.map { name, sql in
                let rows = try db.rows(sql, [account.key]) { row in
                    Dictionary(uniqueKeysWithValues: (0..<row.columnCount).map { (row.name($0), Self.value(row, $0)) })
                }
                return (name, rows)
            }
            return Dictionary(uniqueKeysWithValues: sections)
        }
    }

    /// The columns with a time in milliseconds since 1970.
    private static let times: Set = ["last_code_at", "time"]

    private static func value(_ row: StatementRow, _ column: CInt) -> JSONValue {
        switch row.value(column) {
        case .null, .blob: .null
        case .integer(let number) where times.contains(row.name(column)): .string(Timestamp(milliseconds: number).text)
        case .integer(let number): .number(Double(number))
        case .real(let number): .number(number)
        case .text(let text): .string(text)
        }
    }

    /// Returns the photos of the section `photos`: the file name in the export, and the photo's id.
    package func photos(of account: Account) throws -> [(name: String, id: UUID)] {
        try database.readNow { db in
            try db.rows(
                """
                SELECT photo.uuid, coalesce(listing.uuid || '-' || number, 'sighting-' || sighting.uuid,
                    'message-' || message.uuid, 'picture') AS name
                FROM photo LEFT JOIN listing ON listing.id = photo.listing_id
                    LEFT JOIN sighting ON sighting.id = photo.sighting_id
                    LEFT JOIN message ON message.id = photo.message_id
                WHERE photo.id IN (\(Self.photos))
                """,
                [account.key]
            ) { row in (name: try row["name"], id: try row["uuid"]) }
        }
    }
}
