import Foundation
import SQL
import SpatiaLite
import Storage
import TestSupport
import Testing

/// Damages every table and every column. Each kind of damage that the check cannot find is listed here with the reason.
@Suite("Database check", .enabled(if: TestDatabase.isFile, "about database files"))
struct DatabaseCheckTests {
    /// SpatiaLite's log and the statistics that SpatiaLite and SQLite collect about tables.
    private static let toldByTime: Set<String> = [
        "spatialite_history", "geometry_columns_statistics", "geometry_columns_time", "sqlite_stat1",
        // The rows for events and sources are checked by another test.
        "sqlite_sequence",
    ]

    /// Facts that are stored only once, so that the check cannot compare them with anything. A table's name stands for
    /// its rows, and with a dot for all of its columns.
    private static let toldOnce: Set<String> = [
        // A missing row looks like one that was never written, was removed, or was pruned with the oldest.
        "session", "classification", "photo_leftover", "event", "block",
        "match_answer", "animal_listing",
        "pending_registration", "password_reset", "address_change", "guest_link", "shown_reunion",
        "shown_reunion.",
        "account.email", "account.email_confirmed", "account.password_hash", "account.first_name", "account.last_name",
        "account.phone", "account.language", "account.created_at", "account.updated_at", "session.client",
        "breed.name_en", "breed.name_it",
        "pending_registration.email", "pending_registration.language", "pending_registration.password_hash",
        "pending_registration.first_name",
        "pending_registration.last_name", "pending_registration.phone", "pending_registration.picture",
        "address_change.email", "guest_link.email",
        "listing.version", "listing.secret_mark", "listing.contact_name", "listing.contact_phone",
        "listing.contact_phone_e164",
        "listing.contact_email", "listing.reference", "event.at", "photo.created_at",
        "classification.", "photo_leftover.",
        "listing_renewal.renewed_at", "listing_renewal.warned_at",
        // The contents and times of messages, the number of unread ones up to the total, and the result for a secret
        // mark that may have changed since.
        "message.contact_phone", "message.contact_email", "message.mark", "message.mark_matches", "message.created_at",
        "message.place",
        "conversation.created_at", "conversation_party.unread", "block.about", "block.created_at",
        // What the authors of sightings and the owners of listings say, and when changes happened.
        "sighting", "sighting.id", "sighting.approximate", "sighting.place", "sighting.text", "sighting.contact_phone",
        "sighting.is_delivered", "sighting.created_at", "listing_history", "listing_history.id", "listing_history.at",
        // What devices and files said, and what owners say of it.
        "track.", "track_point", "track_point.",
        // What readers search, and what was found and is still to be compared.
        "alert.name", "alert.paused", "alert_listing", "alert_listing.", "alert_fan_out",
        "alert_fan_out.",
        "notification_settings", "notification_settings.", "notification", "notification.",
        "notification_summary", "notification_summary.",
        // What members say of their organisation, and who may act for it.
        "organisation.", "organisation_member.", "organisation_invitation",
        "organisation_invitation.", "api_key", "api_key.", "organisation_action", "organisation_action.",
        // What shelters note of their animals.
        "animal_record", "animal_record.",
        // What files said, and what became of it.
        "listing_import.", "listing_import_row", "listing_import_row.", "listing_import_key",
        "listing_import_key.", "import_feed", "import_feed.", "import_plan", "import_plan.", "remote_photo",
        "remote_photo.", "imported_listing",
        "imported_listing.",
        "report.text", "report_case.decided_at", "listing_hiding.hidden_at", "ban.until", "ban.banned_at",
        // What only the owner's authenticator app knows besides, and which codes were used.
        "second_factor.", "recovery_code", "recovery_code.",
        // Each mail is stored only here.
        "outgoing_mail", "outgoing_mail.",
        // What browsers and users gave, and each event that waits for them.
        "push_subscription.", "webhook.", "outgoing_event", "outgoing_event.",
        // What other services called posts, and which listings they show.
        "social_account.", "social_post", "social_post.",
        // What owners said, and what was read of texts, which searches read again if they cannot decode it.
        "match_answer.", "animal.", "animal_listing.", "match_candidate.subject",
        "match_photo", "match_photo.traits",
        // Which animals are compared again within a day, and what the last comparison found.
        "organisation_match_search", "organisation_match_search.", "organisation_match", "organisation_match.",
        // How many readers were told.
        "listing_told", "listing_told.",
        // With which tables the breed was read; another number means that it is read again.
        "listing.breed_tables",
        // Data of files that can be imported again.
        "poi.", "poi_source.", "place.", "place_source.",
        // Lengths of texts and their sums (the first row of data), for a ranking that no query uses.
        "board_text_data", "archive_text_data", "place_text_data", "board_text_data.", "archive_text_data.",
        "place_text_data.",
        // The index of the only page of a segment, which SQLite finds without it.
        "board_text_idx", "archive_text_idx", "place_text_idx", "board_text_idx.", "archive_text_idx.",
        "place_text_idx.",
        "board_text_docsize.sz", "archive_text_docsize.sz", "place_text_docsize.sz",
    ]

    private static func isToldOnce(_ what: String) -> Bool {
        toldOnce.contains(what) || toldOnce.contains(String(what.prefix { $0 != "." }) + ".") && what.contains(".")
    }

    @Test("The check finds every missing or changed row that other data contradict")
    func rows() async throws {
        let folder = try TemporaryFolder()
        let database = try await FilledBoard.make(folder.url)
        #expect(try await database.check().findings.flatMap(\.problems) == [])
        #expect(try await database.read(FilledBoard.gaps) == [], "FilledBoard has nothing to damage there")
        let damages = try await database.read(Self.damages)
        try database.close()
        var missed: Set<String> = []
        // The copies are checked one after the other, to leave CPU time for other tests.
        for damage in damages {
            let findings = try await Self.findings(damage, folder.url)
            if findings.allSatisfy(\.problems.isEmpty) { missed.insert(damage.what) }
            await Task.yield()
        }
        #expect(missed.filter { !Self.isToldOnce($0) }.sorted() == [])
        // Exceptions that are no longer needed must be removed from the list.
        #expect(Self.toldOnce.filter { !$0.hasSuffix(".") }.subtracting(missed).sorted() == [])
    }

    private struct Damage: Sendable {
        /// A table, or a table and one of its columns.
        let what: String
        let table: String
        let sql: String
    }

    /// The removal of one row of each table, and the change of one value in each column that has values.
    private static func damages(_ db: SQLConnection) throws -> [Damage] {
        let tables =
            try db.values(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name"
            ) as [String]
        return try tables.filter { !toldByTime.contains($0) }.flatMap { table -> [Damage] in
            let keys: [String] = try db.values(
                "SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk",
                [table]
            )
            let key = (keys.isEmpty ? ["rowid"] : keys).map { "\"\($0)\"" }.joined(separator: ", ")
            func row(_ condition: String) -> String {
                "(\(key)) = (SELECT \(key) FROM \"\(table)\" WHERE \(condition) ORDER BY \(key) LIMIT 1)"
            }
            guard try db.value("SELECT count(*) FROM \"\(table)\"") as Int? != 0 else { return [] }
            let removal = Damage(what: table, table: table, sql: "DELETE FROM \"\(table)\" WHERE \(row("true"))")
            return try [removal]
                + ((db.values("SELECT name FROM pragma_table_info(?)", [table]) as [String]).map { column in
                    let isKey = key.contains("\"\(column)\"")
                    let changed = """
                        CASE typeof("\(column)") WHEN 'blob' THEN zeroblob(length("\(column)") + 1) WHEN 'text'
                        THEN "\(column)" || 'x' ELSE iif(\(isKey ? "false" : "true") AND "\(column)" IN (0, 1), 1 - "\(column)", "\(column)" + 1000) END
                        """
                    let condition = row("\"\(column)\" IS NOT NULL")
                    return Damage(
                        what: "\(table).\(column)",
                        table: table,
                        sql: "UPDATE \"\(table)\" SET \"\(column)\" = \(changed) WHERE \(condition)"
                    )
                }).filter { damage in
                    let column = damage.what.dropFirst(table.count + 1)
                    return try db.value("SELECT count(\"\(column)\") FROM \"\(table)\"") as Int? != 0
                }
        }
    }

    /// Damages a copy without triggers and constraints, as a disk fault would.
    private static func findings(_ damage: Damage, _ folder: URL) async throws -> [DatabaseCheck.Finding] {
        let copy = folder.appending(path: "\(UUID().uuidString).sqlite")
        defer { try? FileManager.default.removeItem(at: copy) }
        try FileManager.default.copyItem(at: folder.appending(path: DatabaseFile.fileName), to: copy)
        let queue = try StandaloneDatabase(copy)
        try queue.run { db in
            try db.run(
                script: "PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON"
            )
            let triggers = try db.rows(
                "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
                [damage.table]
            ) { row in
                (name: try row[0] as String, sql: try row[1] as String)
            }
            for trigger in triggers { try db.execute("DROP TRIGGER \"\(trigger.name)\"") }
            try db.run(script: damage.sql)
            for trigger in triggers { try db.execute(trigger.sql) }
        }
        try queue.close()
        return try await DatabaseFile.check(copy: copy).findings
    }
}

extension DatabaseCheckTests {
    @Test(
        "The check finds damage that no single row shows",
        arguments: [
            ("schema", "DROP TRIGGER listing_enters"), ("schema", "DROP INDEX board_seen"),
            ("schema", "DROP VIEW listing_photos"), ("schema", "CREATE TABLE stranger (id INTEGER)"),
            ("schema", "PRAGMA user_version = 99"), ("schema", "PRAGMA user_version = 99"),
            ("rows that every database has", "DELETE FROM geometry_columns WHERE f_table_name = 'board'"),
            ("rows that every database has", "DELETE FROM spatial_ref_sys WHERE srid = 4326"),
            ("events", "DELETE FROM event WHERE id = 5"),
            ("events", "DELETE FROM event WHERE id = (SELECT max(id) FROM event)"),
            ("events", "DELETE FROM sqlite_sequence WHERE name = 'event'"),
            ("keys", "DELETE FROM sqlite_sequence WHERE name = 'place_source'"),
            ("keys", "DELETE FROM sqlite_sequence WHERE name = 'alert'"),
            ("keys", "DELETE FROM sqlite_sequence WHERE name = 'listing_import'"),
            ("imports", "UPDATE imported_listing SET account_id = 2"),
            ("keys", "DELETE FROM sqlite_sequence WHERE name = 'message'"),
            ("chain of the audit", "DELETE FROM sqlite_sequence WHERE name = 'audit'"),
            ("bans", "UPDATE account SET disabled = 0"),
            ("exact points", "UPDATE listing SET exact_lon = exact_lon + 0.01"),
            ("geometries", "UPDATE place_area SET geom = zeroblob(60)"),
            ("words of the text index", "INSERT INTO board_text (rowid, name) VALUES (1, 'unheard')"),
            ("words of the text index", "UPDATE board_text_data SET block = zeroblob(40) WHERE id > 10"),
            ("structure of the text index", "DELETE FROM board_text_data WHERE id > 10"),
            ("structure of the text index", "DELETE FROM board_text_data WHERE id = 10"),
            ("foreign keys", "DELETE FROM breed"),
        ]
    )
    func others(what: String, sql: String) async throws {
        let folder = try TemporaryFolder()
        try await FilledBoard.make(folder.url).close()
        let table = sql.firstMatch(of: /UPDATE (\w+)/).map { String($0.1) } ?? ""
        let findings = try await Self.findings(Damage(what: what, table: table, sql: sql), folder.url)
        #expect(findings.contains { $0.what == what && !$0.problems.isEmpty })
    }
}
