import Domain
import Foundation
import SQL
import SpatiaLite
import Storage
import TestSupport

/// A database with rows in every table, so that tests of damage and migrations reach all of them.
enum FilledBoard {
    static func make(_ folder: URL) async throws -> DatabaseFile {
        let database = try DatabaseFile(directory: folder)
        _ = try database.migrate()
        try await database.write { db in
            try db.run(script: people)
            try db.run(script: listings)
            try db.run(script: others)
            try conceal(db)
            try db.run(script: messages)
            try db.run(script: sightings)
            try db.run(script: tracks)
            try db.run(script: alerts)
            try db.run(script: organisations)
            try db.run(script: imports)
            try db.run(script: moderation)
            try db.run(script: matches)
            for note in ["first", nil] {
                try AuditLog.record(.listingHide, "b0000000-0000-0000-0000-000000000007", note: note, by: .service, db)
            }
        }
        return database
    }

    /// Tables without rows and columns without values, which tests would not reach.
    static func gaps(_ db: SQLConnection) throws -> [String] {
        try tables(db).flatMap { table -> [String] in
            guard try db.value("SELECT count(*) FROM \(table)") as Int? != 0 else { return [table] }
            return try (db.values("SELECT name FROM pragma_table_info(?)", [table]) as [String]).filter { column in
                try db.value("SELECT count(\(column)) FROM \(table)") == 0
            }.map { "\(table).\($0)" }
        }
    }

    /// Rows of tables that later migrations removed.
    static let former = [
        "listing_place": "INSERT INTO listing_place SELECT 'roma', id FROM listing",
        "idempotency_key": """
        INSERT INTO idempotency_key (account_id, key, request_digest, listing_id, listing_uuid, etag, body)
        SELECT 1, 'key', zeroblob(32), id, uuid, '"1"', '{}' FROM listing LIMIT 1
        """,
        "alert_area": "INSERT INTO alert_area SELECT 2 * id, 14.6, 14.9, 40.6, 40.9 FROM alert",
    ]

    /// The tables of the application in order of creation, without the shadow tables of indexes.
    static func tables(_ db: SQLConnection) throws -> [String] {
        let names = try db.values("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid") as [String]
        let virtual =
            try db.values("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'")
            as [String]
        let spatiaLite = try StandaloneDatabase.inMemory().write { db in
            try db.execute("SELECT InitSpatialMetaData(0, 'WGS84')")
            return try Set(db.values("SELECT name FROM sqlite_schema WHERE type = 'table'") as [String])
        }
        return names.filter { name in
            !spatiaLite.contains(name) && !name.hasPrefix("sqlite_")
                && !virtual.contains { name == $0 || name.hasPrefix($0 + "_") }
        }
    }

    /// The first account is banned.
    private static let people = """
        INSERT INTO breed VALUES ('beagle', 'Beagle', 'Beagle'), ('boxer', 'Boxer', 'Boxer');
        INSERT INTO account (id, uuid, role, email, password_hash, first_name, last_name, phone, language)
        SELECT value, 'a0000000-0000-0000-0000-00000000000' || value, 'user', 'anna' || value || '@example.org', '$argon2id$x',
            'Anna', 'R', '089 1', 'it'
        FROM json_each('[1,2,3]');
        INSERT INTO account (id, uuid, role) VALUES (4, 'a0000000-0000-0000-0000-000000000004', 'guest');
        INSERT INTO session (token_hash, uuid, account_id, client, created_at, last_used_at, expires_at, ends_at)
        SELECT iif(id = 2, zeroblob(32), randomblob(32)), 'e' || substr(uuid, 2), id, 'Firefox', '2026-02-02T03:20:00.000Z',
            '2026-02-02T03:20:00.000Z', '2099-01-01T00:00:00.000Z', '2099-01-01T00:00:00.000Z'
        FROM account;
        INSERT INTO pending_registration
            (token_hash, email, password_hash, language, first_name, last_name, phone, picture, guest_id, expires_at)
        VALUES (randomblob(32), 'zoe@example.org', '$argon2id$x', 'en', 'Zoe', 'R', '089 1', 'picture', 4,
            '2099-01-01T00:00:00.000Z');
        INSERT INTO password_reset VALUES (2, randomblob(32), '2099-01-01T00:00:00.000Z');
        INSERT INTO address_change VALUES (2, randomblob(32), 'new@example.org', '2099-01-01T00:00:00.000Z');
        INSERT INTO guest_link VALUES (4, randomblob(32), 'guest@example.org', '2026-02-02T03:20:00.000Z', '2099-01-01T00:00:00.000Z');
        INSERT INTO second_factor VALUES (2, zeroblob(48), '2026-02-02T03:20:00.000Z', '2026-02-02T03:20:00.000Z', 59000000);
        INSERT INTO recovery_code VALUES (2, zeroblob(32), '2026-02-02T03:20:00.000Z'), (2, randomblob(32), NULL);
        INSERT INTO outgoing_mail (
            uuid, key, account_id, recipient, domain, subject, text, html, picture, picture_type, picture_id, language,
            unsubscribe, listings, created_at, next_attempt_at, expires_at)
        VALUES ('70000000-0000-0000-0000-000000000001', 'alert 1', 2, 'anna2@example.org', 'example.org', 'Argo', 'Text',
            '<p>Text', zeroblob(10), 'image/png', 'dog', 'it', 'https://example.org/x', '[1,2]', '2026-02-02T03:20:00.000Z',
            '2026-02-02T03:20:00.000Z', '2099-01-01T00:00:00.000Z');
        INSERT INTO push_subscription (
            id, uuid, account_id, session_hash, endpoint, host, p256dh, auth, language, created_at, failing_since)
        SELECT 1, '80000000-0000-0000-0000-000000000001', account_id, token_hash, 'https://push.example.org/a',
            'push.example.org', 'p', 'a', 'it', '2026-02-02T03:20:00.000Z', '2026-02-03T03:20:00.000Z'
        FROM session ORDER BY token_hash DESC LIMIT 1;
        INSERT INTO webhook (
            id, uuid, account_id, url, host, secret, previous_secret, previous_until, created_at, failing_since,
            disabled_at, last_outcome)
        VALUES (1, '80000000-0000-0000-0000-000000000002', 2, 'https://example.org/a', 'example.org', 'whsec_a', 'whsec_b',
            '2026-02-03T03:20:00.000Z', '2026-02-02T03:20:00.000Z', '2026-02-03T03:20:00.000Z',
            '2026-02-08T03:20:00.000Z', 'refused');
        INSERT INTO outgoing_event (
            uuid, push_subscription_id, webhook_id, account_id, host, type, key, payload, urgency, listings, created_at,
            next_attempt_at, expires_at)
        SELECT '80000000-0000-0000-0000-00000000001' || value, iif(value = 1, 1, NULL), iif(value = 2, 1, NULL),
            iif(value = 1, (SELECT account_id FROM push_subscription), 2),
            'example.org', 'message.new', 'key', '{}', 'high', '[1]', '2026-02-02T03:20:00.000Z', '2026-02-02T03:20:00.000Z',
            '2099-01-01T00:00:00.000Z'
        FROM json_each('[1,2]');
        """

    private static let listings = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
        INSERT INTO listing (
            id, uuid, account_id, status, species, breed_key, created_at, updated_at, last_seen_at, geom, approximate, name,
            breed, sex, size, colour, age, microchip, place, locality, province, province_code, region, country,
            country_code, postal_code, contact_name, contact_phone, contact_email, reference, marks, description, hidden,
            place_names, code)
        SELECT (1770000000000 + i) << 15, printf('b0000000-0000-0000-0000-%012d', i), 1 + i % 4,
            CASE i % 4 WHEN 0 THEN 'reunited' ELSE 'lost' END, CASE i % 5 WHEN 0 THEN 'cat' ELSE 'dog' END,
            CASE WHEN i % 5 > 0 THEN 'beagle' END, '2026-02-02T03:20:00.000Z', '2026-02-02T03:20:00.000Z',
            '2026-02-01T00:00:00.000Z', MakePoint(10 + i / 10.0, 45, 4326), 0, 'Argo', 'Beagle', 'male', 'small', 'brown',
            'two', '380260000000001', 'Roma', 'Prati', 'Roma', 'RM', 'Lazio', 'Italy', 'IT', '00100', 'Anna', '+39 089 1',
            'anna@example.org', 'row ' || i, 'white paw', 'red collar ' || i, 0, '["roma"]', '7KF222' || substr('23456789BCDF', i, 1)
        FROM n;
        UPDATE listing SET breed_keys = '["beagle"]', mixed = 0, breed_facets = '["beagle"]', breed_tables = 1, facets = '["colour:brown"]',
            contact_phone_e164 = '+390891', origin = 'https://other.example/listings/b0000000-0000-0000-0000-000000000001'
        WHERE reference = 'row 1';
        UPDATE listing SET breed_keys = '[]', mixed = 1, breed_facets = '["mixed",""]', breed_tables = 1
        WHERE reference = 'row 2';
        INSERT INTO photo (id, uuid, listing_id, number, width, height)
        VALUES (1, 'c0000000-0000-0000-0000-000000000001', (SELECT min(id) FROM listing), 1, 60, 40);
        INSERT INTO photo (id, uuid, account_id, width, height)
        VALUES (2, 'c0000000-0000-0000-0000-000000000002', 2, 60, 40);
        INSERT INTO photo_leftover VALUES ('c0000000-0000-0000-0000-000000000003', '2099-01-01T00:00:00.000Z');
        INSERT INTO classification (uuid, photo_id, model, model_version, outcome, predictions, vector, hash)
        VALUES ('d0000000-0000-0000-0000-000000000001', 1, 'm', '1', 'accepted', '{"beagle":0.9}', randomblob(128), 81985529216486895);
        UPDATE listing_renewal SET warned_at = '2026-02-02T03:20:00.000Z';
        UPDATE listing_renewal SET expired_from = 'lost' WHERE NOT is_open;
        INSERT INTO shown_reunion SELECT id, '2026-02-02T03:20:00.000Z' FROM listing WHERE status NOT IN ('lost', 'found', 'sighted') LIMIT 1;
        """

    /// Makes the position of one listing approximate.
    private static func conceal(_ db: SQLConnection) throws {
        guard let exact = Coordinate(lon: 14.79, lat: 40.77) else { return }
        let cell = exact.cellCentre
        try db.execute(
            """
            UPDATE listing
            SET geom = MakePoint(?, ?, 4326), approximate = 1, exact_lon = ?, exact_lat = ?, secret_mark = 'a scar',
                collar = 'red leather', reward = '50 EUR', whereabouts = 'Via Roma 12'
            WHERE reference = 'row 2'
            """,
            [cell.lon, cell.lat, exact.lon, exact.lat]
        )
    }

    /// Messages about a listing of the third account; the writer deleted the first ones.
    private static let messages = """
        INSERT INTO conversation (id, uuid, listing_id, writer_id)
        SELECT 1, 'f0000000-0000-0000-0000-000000000001', id, 2 FROM listing WHERE reference = 'row 2';
        INSERT INTO message (uuid, conversation_id, is_owners, text, contact_name, contact_phone, contact_email, mark,
            mark_matches, is_delivered)
        VALUES ('f1000000-0000-0000-0000-000000000001', 1, 0, 'I saw him', 'Bruno', '089 2', 'bruno@example.org', 'a scar', 1, 1),
            ('f1000000-0000-0000-0000-000000000002', 1, 1, 'Where?', 'Anna', NULL, NULL, NULL, NULL, 1);
        UPDATE conversation_party SET cleared_id = last_id, last_id = 0, unread = 0 WHERE NOT is_owner;
        INSERT INTO message (uuid, conversation_id, is_owners, text, is_delivered)
        VALUES ('f1000000-0000-0000-0000-000000000003', 1, 1, 'Please!', 1),
            ('f1000000-0000-0000-0000-000000000004', 1, 0, 'Never mind', 0);
        INSERT INTO block (blocker_id, blocked_id, uuid, about)
        VALUES (3, 2, '00000000-0000-4000-8000-0000000000b1', 'Argo');
        UPDATE message SET lon = 14.8, lat = 40.8, place = 'Fisciano (SA)' WHERE id = 3;
        INSERT INTO photo (id, uuid, message_id, width, height)
        VALUES (4, 'c0000000-0000-0000-0000-000000000004', 3, 60, 40);
        """

    /// An alert of the second account that has found a listing, which another comparison waits for.
    private static let alerts = """
        INSERT INTO alert (id, uuid, account_id, name, search, created_at, updated_at)
        VALUES (1, 'a1000000-0000-0000-0000-000000000001', 2, 'Fisciano', '{"lat":"40.77","lon":"14.79","radius":"10000"}',
            '2026-02-03T03:20:00.000Z', '2026-02-03T03:20:00.000Z');
        INSERT INTO alert (id, uuid, account_id, listing_id, min_probability, created_at, updated_at)
        SELECT 2, 'a1000000-0000-0000-0000-000000000002', account_id, id, 0.1, '2026-02-03T03:20:00.000Z',
            '2026-02-03T03:20:00.000Z'
        FROM listing WHERE reference = 'row 2';
        INSERT INTO alert_area (id, west, east, south, north) VALUES (2, 14.6, 14.9, 40.6, 40.9);
        INSERT INTO alert_listing (alert_id, listing_id, status, found_at)
        SELECT 1, id, 'lost', '2026-02-03T03:20:00.000Z' FROM listing WHERE reference = 'row 2';
        INSERT INTO alert_listing (alert_id, listing_id, status, probability, found_at)
        SELECT 2, id, 'found', 0.3, '2026-02-03T03:20:00.000Z' FROM listing WHERE reference = 'row 3';
        INSERT INTO alert_fan_out (listing_id) SELECT id FROM listing WHERE reference = 'row 2';
        INSERT INTO notification_settings (account_id, unsubscribe_token, told_on, told)
        VALUES (2, '0123456789abcdef0123456789abcdef', '2026-02-03', 1);
        INSERT INTO notification (account_id, listing_id, alert_id, probability, in_summary, turn, noted_at)
        SELECT 2, id, 2, 0.3, 1, 0, '2026-02-03T03:20:00.000Z' FROM listing WHERE reference = 'row 2';
        INSERT INTO notification_summary (account_id, due_at) VALUES (2, '2026-02-03T07:00:00.000Z');
        """

    /// An organisation with a manager, who has made a key and invited somebody.
    private static let organisations = """
        INSERT INTO account (id, uuid, role, first_name, phone)
        VALUES (5, 'a0000000-0000-0000-0000-000000000005', 'organisation', 'Rifugio', '089 3');
        INSERT INTO organisation (
            account_id, uuid, name, about, website, phone, email, address, lon, lat, verified_at, created_at)
        VALUES (5, 'a0000000-0000-0000-0000-000000000005', 'Rifugio', 'Cani', 'https://example.org', '089 3',
            'rifugio@example.org', 'Via Roma 1', 14.8, 40.8, '2026-02-03T03:20:00.000Z', '2026-02-03T03:20:00.000Z');
        UPDATE organisation SET requires_second_factor = 1;
        INSERT INTO organisation_action (organisation_id, account_id, at, action, subject, detail, key_name)
        VALUES (5, 2, '2026-02-03T03:20:00.000Z', 'member.role', 'a0000000-0000-0000-0000-000000000003', 'manager', 'software');
        INSERT INTO alert (id, uuid, account_id, search, organisation_id, created_at, updated_at)
        VALUES (3, 'a1000000-0000-0000-0000-000000000003', 2, '{"organisation":"a0000000-0000-0000-0000-000000000005"}', 5,
            '2026-02-03T03:20:00.000Z', '2026-02-03T03:20:00.000Z');
        INSERT INTO animal_record (listing_id, intake_on, intake, outcome_on, outcome, kennel, behaviour)
        SELECT id, '2026-02-03', 'stray', '2026-02-04', 'adopted', 'B 12', 'shy' FROM listing WHERE reference = 'row 2';
        INSERT INTO organisation_member VALUES (5, 2, 'manager', '2026-02-03T03:20:00.000Z');
        INSERT INTO organisation_invitation (uuid, organisation_id, email, role, invited_by, created_at, expires_at)
        VALUES ('a2000000-0000-0000-0000-000000000001', 5, 'bruno@example.org', 'volunteer', 2, '2026-02-03T03:20:00.000Z',
            '2099-01-01T00:00:00.000Z');
        INSERT INTO api_key (
            uuid, account_id, name, token_hash, scopes, created_by, created_at, expires_at, last_used_at)
        VALUES ('a3000000-0000-0000-0000-000000000001', 5, 'software', randomblob(32), 'listings:read', 2,
            '2026-02-03T03:20:00.000Z', '2099-01-01T00:00:00.000Z', '2026-02-03T03:20:00.000Z');
        """

    /// Imports of the third account: one that has made a listing and has not ended, and one that failed.
    private static let imports = """
        INSERT INTO listing_import (id, uuid, account_id, source, mapping, file_name, language, dry_run, close_missing, state,
            row_total, row_position, created_count, created_at, started_at, service)
        VALUES (1, '1a000000-0000-0000-0000-000000000001', 3, 'shelter', 'auto', 'dogs.csv', 'it', 0, 'yes', 'running', 2, 1, 1,
            '2026-02-03T03:20:00.000Z', '2026-02-03T03:20:00.000Z', 'https://other.example');
        INSERT INTO listing_import (id, uuid, account_id, source, mapping, language, dry_run, close_missing, state, problem,
            created_at, ended_at)
        VALUES (2, '1a000000-0000-0000-0000-000000000002', 3, 'shelter', 'auto', 'it', 0, 'no', 'failed', 'empty',
            '2026-02-03T03:20:00.000Z', '2026-02-03T03:20:00.000Z');
        INSERT INTO import_feed (uuid, account_id, url, every_hours, source, mapping, language, close_missing, created_at,
            next_at, last_at, last_outcome, last_import, entity_tag, last_modified)
        VALUES ('1b000000-0000-0000-0000-000000000001', 3, 'https://example.org/dogs.csv', 24, 'shelter', 'auto', 'it', 'yes',
            '2026-02-03T03:20:00.000Z', '2026-02-04T03:20:00.000Z', '2026-02-03T03:20:00.000Z', 'imported',
            '1a000000-0000-0000-0000-000000000001', '"1"', 'Tue, 03 Feb 2026 03:00:00 GMT');
        INSERT INTO listing_import_row (import_id, number, reference, outcome, listing_uuid, field, column_name, value,
            message)
        SELECT 1, 1, 'row 2', 'created', uuid, 'name', 'nome', 'x', 'expected text' FROM listing WHERE reference = 'row 2';
        INSERT INTO import_plan (account_id, source, plan, updated_at)
        VALUES (3, 'shelter', '{"columns":{},"values":{},"defaults":{"status":"found"}}', '2026-02-03T03:20:00.000Z');
        UPDATE listing_import SET plan = '{"columns":{"Nome":"name"}}', opened_count = 1;
        INSERT INTO listing_import_key (import_id, row_key, number) VALUES (1, 'reference:row 2', 1);
        INSERT INTO remote_photo (listing_id, account_id, import_id, url, host, position, state, problem, attempt_count, due_at,
            photo_uuid)
        SELECT id, account_id, 1, 'https://example.org/argo.jpg', 'example.org', 1, 'waiting', 'timed_out', 1,
            '2026-02-03T03:20:00.000Z', '1c000000-0000-0000-0000-000000000001'
        FROM listing WHERE reference = 'row 2';
        INSERT INTO imported_listing (listing_id, account_id, source, row_key, digest, first_import_id)
        SELECT id, account_id, 'shelter', 'reference:row 2', randomblob(32), 1 FROM listing WHERE reference = 'row 2';
        """

    /// A track of a device, and one of a file.
    private static let tracks = """
        INSERT INTO track (id, listing_id, number, kind, name, device, visibility, token_hash, opened_at, closed_at)
        SELECT 1, id, 1, 'collar', 'Argo', 'collar', 'owner', randomblob(32), '2026-02-03T03:20:00.000Z', NULL
        FROM listing WHERE reference = 'row 2'
        UNION ALL
        SELECT 2, id, 2, 'search_party', NULL, NULL, 'everyone', NULL, '2026-02-03T03:20:00.000Z',
            '2026-02-03T03:20:00.000Z'
        FROM listing WHERE reference = 'row 2';
        INSERT INTO track_point (track_id, segment, position, is_timed, lon, lat)
        VALUES (1, 0, 1770000000000, 1, 14.79, 40.77), (2, 0, 0, 0, 14.79, 40.77), (2, 1, 0, 0, 14.8, 40.78);
        """

    /// Sightings of a listing of the third account: one by the second account, and an attached listing.
    private static let sightings = """
        INSERT INTO sighting (uuid, listing_id, owner_id, account_id, attached_id, lon, lat, approximate, place, seen_at, text,
            contact_phone, state, is_delivered)
        SELECT '50000000-0000-0000-0000-000000000001', id, 3, 2, NULL, 14.8, 40.8, 0, 'Fisciano (SA)',
            '2026-02-03T03:20:00.000Z', 'By the river', '089 2', 'proposed', 1
        FROM listing WHERE reference = 'row 2'
        UNION ALL
        SELECT '50000000-0000-0000-0000-000000000002', id, 3, 3, (SELECT id FROM listing WHERE reference = 'row 3'), 14.8,
            40.8, 1, 'Roma', '2026-02-03T03:20:00.000Z', NULL, NULL, 'confirmed', 1
        FROM listing WHERE reference = 'row 2';
        INSERT INTO photo (id, uuid, sighting_id, width, height)
        SELECT 5, 'c0000000-0000-0000-0000-000000000005', max(id), 60, 40 FROM sighting;
        INSERT INTO listing_history (listing_id, type, former, status)
        SELECT id, 'status', 'lost', 'reunited' FROM listing WHERE reference = 'row 4';
        """

    private static let moderation = """
        INSERT INTO report_case (
            id, uuid, subject, subject_uuid, account_id, evidence, listing_id, status, reported_at, last_reported_at, decided_at)
        SELECT 1, '10000000-0000-0000-0000-000000000001', 'listing', uuid, account_id, NULL, id, 'upheld',
            '2026-02-02T03:20:00.000Z', '2026-02-02T03:20:00.000Z', '2026-02-03T03:20:00.000Z'
        FROM listing WHERE reference = 'row 7'
        UNION ALL
        SELECT 2, '10000000-0000-0000-0000-000000000002', 'message', uuid, 2, text, NULL, 'open', '2026-02-02T03:20:00.000Z',
            '2026-02-02T03:20:00.000Z', NULL
        FROM message WHERE id = 1;
        INSERT INTO report (case_id, account_id, reason, text, created_at)
        VALUES (1, 2, 'scam', 'Not a dog', '2026-02-02T03:20:00.000Z'), (1, 3, 'scam', NULL, '2026-02-02T03:21:00.000Z'),
            (2, 3, 'abuse', NULL, '2026-02-02T03:20:00.000Z');
        INSERT INTO listing_hiding (listing_id, reason) SELECT id, 'scam' FROM listing WHERE reference = 'row 7';
        INSERT INTO ban (account_id, reason, until) VALUES (1, 'scam', '2099-01-01T00:00:00.000Z');
        """

    /// Two listings of which both owners say that they are of one animal.
    private static let matches = """
        UPDATE match_candidate SET subject = zeroblob(8);
        INSERT INTO match_photo SELECT listing_id, zeroblob(202) FROM match_candidate LIMIT 1;
        INSERT INTO organisation_match_search (listing_id, due_at)
        SELECT id, '2026-02-03T03:20:00.000Z' FROM listing WHERE reference = 'row 3';
        INSERT INTO organisation_match (
            listing_id, lost_id, organisation_id, probability, bits, distance, days, evidence)
        SELECT found.id, lost.id, 5, 0.3, 4.5, 1200, 3, '[{"kind":"breed","level":"same","bits":3.5}]'
        FROM listing AS found, listing AS lost WHERE found.reference = 'row 3' AND lost.reference = 'row 2';
        INSERT INTO social_account (id, uuid, account_id, service, server, chat, name, token, lon, lat, radius, west, south, east,
            north, species, language, paused, problem, problem_at, created_at)
        VALUES (1, '8a000000-0000-0000-0000-000000000001', NULL, 'telegram', NULL, '@dogs', 'Dogs', randomblob(40), 14.79, 40.77,
                25000, 14, 40, 15, 41, 'dog', 'it', 1, 'chat', '2026-02-03T03:20:00.000Z', '2026-02-02T03:20:00.000Z'),
            (2, '8a000000-0000-0000-0000-000000000002', 5, 'mastodon', 'https://mastodon.example', NULL, 'Dogs', randomblob(40),
                14.79, 40.77, 25000, 14, 40, 15, 41, NULL, 'it', 0, NULL, NULL, '2026-02-02T03:20:00.000Z');
        INSERT INTO social_post (social_account_id, listing_uuid, noted_at, pending, attempts, next_attempt_at, remote_id, digest,
            photo)
        SELECT 1, uuid, '2026-02-02T03:20:00.000Z', 1, 2, '2026-02-02T03:20:00.000Z', '1001',
            '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU', '/photos/c0000000-0000-0000-0000-000000000001-1600.jpg'
        FROM listing WHERE reference = 'row 3';
        INSERT INTO listing_told (listing_id, channel, messages, first_at, last_at)
        SELECT id, 'push', 12, '2026-02-02T03:20:00.000Z', '2026-02-02T03:21:00.000Z' FROM listing WHERE reference = 'row 3';
        INSERT INTO match_answer (
            lost_id, found_id, lost_answer, lost_answered_at, found_answer, found_answered_at, found_status, linked_at,
            same_side)
        SELECT min(id), max(id), 'yes', '2026-02-02T03:20:00.000Z', 'yes', '2026-02-02T03:20:00.000Z', 'found',
            '2026-02-02T03:20:00.000Z', 1
        FROM listing;
        INSERT INTO animal (id, created_at) VALUES (1, '2026-02-02T03:20:00.000Z');
        INSERT INTO animal_listing (listing_id, animal_id, joined_at, former_status, home_at)
        SELECT id, 1, '2026-02-02T03:20:00.000Z', 'found', '2026-02-02T03:20:00.000Z' FROM listing ORDER BY id LIMIT 2;
        """

    private static let others = """
        INSERT INTO poi_source (id, name) VALUES (1, 'osm');
        INSERT INTO poi (ref, source_id, seen, category, geom, element_type, element_id, name, street, house_number,
            postal_code, city, phone, website, opening_hours)
        VALUES ('node/1', 1, 1, 'veterinary', MakePoint(14, 40, 4326), 'node', 1, 'Vet', 'Via Roma', '1', '84084',
            'Fisciano', '089', 'https://example.org', 'Mo-Fr');
        INSERT INTO place_source (id, name, kind, is_live, places) VALUES (1, 'comuni', 'boundaries', 1, 2);
        INSERT INTO place (id, source_id, geom, lon, lat, level, name, name_key, names, population, locality, comune,
            comune_code, province, province_code, region, country_code, postal_code)
        VALUES (1, 1, MakePoint(14, 40, 4326), 14, 40, 'settlement', 'Penta', 'penta', 'penta', 10, 'Penta', 'Fisciano',
                '065052', 'Salerno', 'SA', 'Campania', 'IT', '84084'),
            (2, 1, NULL, 14.5, 40.5, 'comune', 'Fisciano', 'fisciano', 'fisciano', 10, NULL, 'Fisciano', '065052', 'Salerno',
                'SA', 'Campania', 'IT', NULL);
        INSERT INTO place_area (place_id, geom) VALUES (2, BuildMbr(14, 40, 15, 41, 4326));
        INSERT INTO place_word VALUES ('fisciano'), ('penta');
        """
}
