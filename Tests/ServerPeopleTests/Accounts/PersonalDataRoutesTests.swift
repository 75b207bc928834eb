import Domain
import Foundation
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Personal data")
struct PersonalDataRoutesTests {
    private static let listing =
        #"{"status": "lost", "name": "Zerbinotto", "lon": 14.793211, "lat": 40.771934, "contact_phone": "+39 333 7654321","#
        + #" "contact_name": "Petronilla Verdi", "marks": "Orecchio sbrindellato"}"#

    private static let finder = #"{"email": "finder@example.org", "password": "correct horse"}"#

    /// Creates an account with rows in every table that stores data of accounts.
    private static func fill(_ service: RunningService) async throws -> String {
        let token = try await service.register("petronilla@example.org")
        let headers = ["Idempotency-Key": "first", "Content-Type": "application/json"]
        let posted = try await service.send("POST", "/v1/listings", Self.listing, token: token, headers: headers)
        let path = "/v1/listings/\(try #require(posted.text("id")))"
        let photo = Data(try plainPNG(width: 40, height: 30))
        #expect(try await service.send("PUT", "\(path)/photos/2", bytes: photo, token).status == 201)
        #expect(try await service.send("PUT", "/v1/me/picture", bytes: photo, token).status == 201)
        try await talk(service, token, posted: path)
        _ = try await service.addSecondFactor(token)
        // Only a mail could complete these rows, summaries depend on the time of the day, and a banned account can still
        // be deleted by the operator.
        try await service.board.database.write { db in
            let digest = db.engine == .postGIS ? "sha256(CAST(uuid AS bytea))" : "randomblob(32)"
            try db.run(
                script: """
                    INSERT INTO password_reset (account_id, token_hash, expires_at)
                    SELECT id, \(digest), '2100-01-01T00:00:00.000Z' FROM account;
                    INSERT INTO address_change (account_id, token_hash, email, expires_at)
                    SELECT id, \(digest), 'petronilla@example.net', '2100-01-01T00:00:00.000Z' FROM account;
                    INSERT INTO guest_link (account_id, token_hash, email, expires_at)
                    SELECT id, \(digest), 'petronilla@example.com', '2100-01-01T00:00:00.000Z' FROM account;
                    INSERT INTO shown_reunion (listing_id, shown_at) SELECT id, '2026-02-02T03:20:00.000Z' FROM listing;
                    INSERT INTO pending_registration (token_hash, email, password_hash, language, guest_id, expires_at)
                    SELECT \(digest), email, '$argon2id$', 'it', id, '2100-01-01T00:00:00.000Z'
                    FROM account WHERE role <> 'organisation';
                    INSERT INTO outgoing_mail (
                        uuid, account_id, recipient, domain, subject, text, language, created_at, next_attempt_at,
                        expires_at)
                    SELECT uuid, id, 'petronilla@example.org', 'example.org', 'Reset', 'token=secret', 'it',
                        '2026-02-02T03:20:00.000Z', '2026-02-02T03:20:00.000Z', '2100-01-01T00:00:00.000Z'
                    FROM account;
                    INSERT INTO push_subscription (
                        uuid, account_id, session_hash, endpoint, host, p256dh, auth, language, created_at)
                    SELECT uuid, account_id, token_hash, 'https://push.example.org/' || uuid, 'push.example.org',
                        'browserkey', 'browsersecret', 'it', '2026-02-02T03:20:00.000Z'
                    FROM session;
                    INSERT INTO webhook (uuid, account_id, url, host, secret, created_at)
                    SELECT uuid, id, 'https://example.org/petronilla', 'example.org', 'whsec_secret',
                        '2026-02-02T03:20:00.000Z'
                    FROM account;
                    INSERT INTO import_feed (
                        uuid, account_id, url, every_hours, source, mapping, language, close_missing, created_at, next_at)
                    SELECT uuid, id, 'https://example.org/petronilla.csv', 24, 'list', 'auto', 'it', 'no',
                        '2026-02-02T03:20:00.000Z', '2099-01-01T00:00:00.000Z'
                    FROM account;
                    INSERT INTO social_account (
                        uuid, account_id, service, chat, name, token, lon, lat, radius, west, south, east, north, language,
                        created_at)
                    SELECT uuid, id, 'telegram', '@petronilla', 'Petronilla', CAST(
                        'encrypted by a key that this is not' AS \(db.engine == .postGIS ? "bytea" : "BLOB")), 14.79, 40.77,
                        25000, 14, 40, 15, 41, 'it', '2026-02-02T03:20:00.000Z'
                    FROM account;
                    INSERT INTO social_post (social_account_id, listing_uuid, remote_id, digest)
                    SELECT social_account.id, listing.uuid, '1', '47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU'
                    FROM social_account CROSS JOIN listing;
                    INSERT INTO import_plan (account_id, source, plan, updated_at)
                    SELECT id, 'list', '{"values": {"name": {"petronilla": "Petra"}}}', '2026-02-02T03:20:00.000Z' FROM account;
                    INSERT INTO remote_photo (listing_id, account_id, url, host, position, due_at)
                    SELECT id, account_id, 'https://example.org/petronilla.jpg', 'example.org', 1,
                        '2099-01-01T00:00:00.000Z'
                    FROM listing;
                    INSERT INTO listing_told (listing_id, channel, messages, first_at, last_at)
                    SELECT id, 'mail', 12, '2026-02-02T03:20:00.000Z', '2026-02-02T03:21:00.000Z' FROM listing;
                    INSERT INTO animal_record (listing_id, kennel) SELECT id, 'Petronilla' FROM listing;
                    INSERT INTO organisation_match (
                        listing_id, lost_id, organisation_id, probability, bits, distance, days, evidence)
                    SELECT found.id, lost.id, account_id, 0.3, 4.5, 1200, 3, '[]' FROM organisation CROSS JOIN (
                        SELECT min(id) AS id FROM listing) AS found CROSS JOIN (SELECT id FROM listing) AS lost;
                    INSERT INTO outgoing_event (
                        uuid, push_subscription_id, account_id, host, type, key, payload, urgency, created_at,
                        next_attempt_at, expires_at)
                    SELECT uuid, id, account_id, host, 'message.new', 'key', '{"title": "Petronilla"}', 'high',
                        '2026-02-02T03:20:00.000Z', '2100-01-01T00:00:00.000Z', '2100-01-01T00:00:00.000Z'
                    FROM push_subscription;
                    INSERT INTO notification (account_id, listing_id, alert_id, in_summary, turn, noted_at)
                    SELECT account_id, (SELECT min(id) FROM listing), min(id), TRUE, 0, '2026-02-02T03:20:00.000Z'
                    FROM alert GROUP BY account_id
                    ON CONFLICT (account_id, listing_id) DO UPDATE SET in_summary = TRUE;
                    INSERT INTO notification_summary (account_id, due_at)
                    SELECT account_id, '2100-01-01T00:00:00.000Z' FROM alert GROUP BY account_id
                    ON CONFLICT (account_id) DO UPDATE SET due_at = excluded.due_at;
                    INSERT INTO ban (account_id, reason)
                    SELECT id, 'other' FROM account WHERE email = 'petronilla@example.org';
                    UPDATE account SET disabled = FALSE;
                    """
            )
        }
        return token
    }

    /// Adds a conversation with a finder, and reports and blocks in both directions.
    private static func talk(_ service: RunningService, _ token: String, posted path: String) async throws {
        let alert = #"{"search": {"place": "Salerno"}}"#
        #expect(try await service.send("POST", "/v1/me/alerts", alert, token: token).status == 201)
        let file = "reference,status,last_seen_at,place\nP1,closed,2025-11-20,Salerno\n"
        _ = try await service.ended(try await service.upload(file, token), token)
        let finder = try await service.register("finder@example.org")
        let found = try await service.post(#"{"status": "found", "place": "Salerno"}"#, finder)
        // The alert finds the listing before the accounts block each other.
        try await until("the alert") {
            try await counts(["alert_listing"], service.board.database)["alert_listing"] != 0
        }
        let match = "\(path)/matches/\(found)"
        #expect(try await service.send("PUT", match, #"{"answer": "unsure"}"#, token: token).status == 200)
        let copy = try await service.post(#"{"status": "lost", "place": "Salerno"}"#, token)
        let same = try await service.send("PUT", "\(path)/matches/\(copy)", #"{"answer": "yes"}"#, token: token)
        #expect(same.text("state") == "agreed")
        let written = try await service.send("POST", "\(path)/messages", #"{"text": "I saw him"}"#, token: finder)
        #expect(written.status == 201)
        let inbox = try await service.send("GET", "/v1/me/conversations", token: token)
        let conversation = try #require(inbox.text("conversations", "0", "id"))
        let answer = try await service.send(
            "POST",
            "/v1/me/conversations/\(conversation)/messages",
            #"{"text": "Where?", "contact_phone": "+39 333 7654321"}"#,
            token: token
        )
        #expect(answer.status == 201)
        try await join(service, token, finder)
        let seen = #"{"lon": 14.79, "lat": 40.77, "text": "Petronilla saw it", "contact_phone": "+39 333 7654321"}"#
        #expect(try await service.send("POST", "\(path)/sightings", seen, token: token).status == 201)
        let device = #"{"kind": "collar", "device": "Petronilla's collar"}"#
        #expect(try await service.send("PUT", "\(path)/tracks/1", device, token: token).status == 201)
        let points = #"{"points": [{"time": "2026-05-01T12:30:00Z", "lon": 14.79, "lat": 40.77}]}"#
        #expect(try await service.send("POST", "\(path)/tracks/1/points", points, token: token).status == 200)
        #expect(try await service.send("POST", "\(path)/renewal", token: token).status == 200)
        for (reporter, subject) in [(token, found), (finder, String(path.suffix(36)))] {
            let report = #"{"subject": "listing", "id": "\#(subject)", "reason": "wrong", "text": "7654321"}"#
            #expect(try await service.send("POST", "/v1/reports", report, token: reporter).status == 202)
        }
        for blocker in [token, finder] {
            let block = #"{"conversation": "\#(conversation)"}"#
            #expect(try await service.send("POST", "/v1/me/blocks", block, token: blocker).status < 300)
        }
        for id in [found, String(path.suffix(36))] {
            let listing = try #require(UUID(uuidString: id))
            try await ModerationStore(service.board.database).hide(listing, .init(by: .commandLine))
        }
    }

    /// Makes the account a manager of the finder's organisation, with a key and an invitation of its own.
    private static func join(_ service: RunningService, _ token: String, _ finder: String) async throws {
        let made = try await service.send("POST", "/v1/organisations", #"{"name": "Rifugio"}"#, token: finder)
        let path = "/v1/organisations/\(try #require(made.text("id")))"
        let body = #"{"email": "petronilla@example.org", "role": "manager"}"#
        let invitation = try await service.send("POST", "\(path)/invitations", body, token: finder).created("id")
        #expect(try await service.send("POST", "/v1/me/invitations/\(invitation)", token: token).status == 200)
        let other = #"{"email": "bruno@example.org"}"#
        #expect(try await service.send("POST", "\(path)/invitations", other, token: token).status == 201)
        let key = #"{"name": "software", "scopes": ["listings:read"]}"#
        #expect(try await service.send("POST", "\(path)/keys", key, token: token).status == 201)
    }

    /// Pending registrations do not belong to an account yet; they expire within hours. Listings wait for the comparison
    /// with alerts for a second, animals of organisations are compared within a day, and keys of rows and, on PostgreSQL, the file are kept while an import runs.
    private static let unowned: Set = [
        "pending_registration", "alert_fan_out", "organisation_match_search", "listing_import_key", importedFile,
    ]
    private static let importedFile = "listing_import_file"

    /// Tables of what is still to be done with rows of other tables, or that count them.
    private static let withoutOwnData: Set = [
        "alert_fan_out", "listing_import_key", "notification_summary", "organisation_match_search", "report_reason",
    ]

    /// The tables that reference accounts directly or indirectly by foreign keys.
    private static func tables(_ database: any Database) async throws -> [String: Set<String>] {
        try await database.read { db in
            var parents: [String: Set<String>] = [:]
            for table in try db.tableNames() { parents[table] = try db.tablesReferenced(by: table) }
            var found: Set = ["account"]
            while let next = parents.first(where: { !found.contains($0.key) && !$0.value.isDisjoint(with: found) }) {
                found.insert(next.key)
            }
            return parents.filter { found.contains($0.key) }
        }
    }

    private static func counts(
        _ tables: some Sequence<String> & Sendable,
        _ database: any Database
    ) async throws
        -> [String: Int]
    {
        try await database.read { db in
            var counts: [String: Int] = [:]
            for table in tables { counts[table] = try db.value("SELECT count(*) FROM \(table)") as Int? }
            return counts
        }
    }

    @Test("The export covers every table that stores data of an account")
    func exportedTables() async throws {
        let board = try await TestDatabase()
        let told = PersonalData.sections.reduce(into: Self.withoutOwnData) { tables, section in
            tables.formUnion(section.value.matches(of: #/(?:FROM|JOIN)\s+(\w+)/#).map { String($0.1) })
        }
        // Listings are exported as features in a separate file.
        let listings: Set = ["listing", "listing_renewal"]
        // The file of an import is the sender's own, and is kept until it is imported only.
        let found = Set(try await Self.tables(board.database).keys).subtracting([Self.importedFile])
        #expect(found == told.union(listings))
    }

    @Test("The export contains all of the user's data, and no passwords or tokens")
    func export() async throws {
        try await RunningService.with { service in
            let token = try await Self.fill(service)
            let answer = try await service.send("GET", "/v1/me/export", token: token)
            #expect(answer.status == 200 && answer.headers["content-type"] == "application/zip")
            let files = try Self.unpacked(answer.body)
            let names = Set(files.keys)
            let ids = names.compactMap { $0.firstMatch(of: #/photos\/(.{36})-2.jpg/#).map { String($0.1) } }
            let id = try #require(ids.first)
            #expect(names == ["data.json", "listings.geojson", "photos/\(id)-2.jpg", "photos/picture.jpg"])
            #expect(try #require(files["photos/picture.jpg"]).prefix(3) == Data([0xFF, 0xD8, 0xFF]))
            let data = try JSONDecoder().decode(JSONValue.self, from: try #require(files["data.json"]))
            let sections = try #require(data.object)
            for (name, _) in PersonalData.sections {
                #expect(sections[name] != nil && sections[name] != .array([]), "\(name)")
            }
            // One photo belongs to the listing and one to the account.
            if case .array(let photos)? = sections["photos"] { #expect(photos.count == 2) }
            if case .array(let factors)? = sections["second_factor"] {
                #expect(
                    Set(try #require(factors.first?.object).keys) == [
                        "created_at", "confirmed_at", "last_code_at", "recovery_codes_left", "recovery_code_used_at",
                    ]
                )
            }
            let text = String(decoding: try #require(files["data.json"]), as: UTF8.self)
            #expect(text.contains("petronilla@example.org") && !text.contains("argon2") && !text.contains("hash"))
            #expect(!text.contains("token=secret"))
            let geojson = String(decoding: try #require(files["listings.geojson"]), as: UTF8.self)
            #expect(geojson.contains("14.793211") && geojson.contains("+39 333 7654321"))
            #expect(try await service.send("GET", "/v1/me/export").status == 401)
            let other = try await service.send("GET", "/v1/me/export", token: try await service.guest())
            let theirs = try Self.unpacked(other.body)
            #expect(Set(theirs.keys) == ["data.json", "listings.geojson"])
            #expect(!String(decoding: try #require(theirs["listings.geojson"]), as: UTF8.self).contains("Zerbinotto"))
        }
    }

    @Test("Deletion leaves no row, no file and no byte")
    func deletion() async throws {
        try await RunningService.with { service in
            let token = try await Self.fill(service)
            let tables = Array(Set(try await Self.tables(service.board.database).keys).subtracting(Self.unowned))
            let before = try await Self.counts(tables, service.board.database)
            #expect(before.allSatisfy { $0.value > 0 }, "\(before)")
            #expect(try await service.send("DELETE", "/v1/me", token: token).status == 204)
            // The fact that this account reported something remains, without its name and words.
            let named = try await service.board.database.read { db in
                try db.value("SELECT count(*) FROM report WHERE account_id IS NOT NULL OR text IS NOT NULL") as Int?
            }
            #expect(named == 0)
            let finder = try await service.send("POST", "/v1/sessions", Self.finder)
            let other = try #require(finder.text("token"))
            #expect(try await service.send("DELETE", "/v1/me", token: other).status == 204)
            let after = try await Self.counts(tables, service.board.database)
            #expect(after.allSatisfy { $0.value == 0 }, "\(after)")
            try await service.board.database.write { try $0.execute("DELETE FROM pending_registration") }
            // Checkpointing overwrites the old pages of the database file.
            let isEmptied = try await service.board.database.checkpoint()
            #expect(isEmptied)
            let secrets = ["7654321", "petronilla@example.org", "Petronilla Verdi", "14.793211"]
            for file in try Self.files(service.board.folder.url) {
                let bytes = try Data(contentsOf: file)
                #expect(file.pathExtension != "jpg", "\(file.lastPathComponent)")
                for secret in secrets {
                    #expect(bytes.range(of: Data(secret.utf8)) == nil, "\(secret) in \(file.lastPathComponent)")
                }
            }
        }
    }

    private static func files(_ folder: URL) throws -> [URL] {
        let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        return (found?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
    }

    /// Unpacks an archive with a common program.
    static func unpacked(_ zip: Data) throws -> [String: Data] {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "data.zip")
        try zip.write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-m", "zipfile", "-e", file.path, folder.url.appending(path: "out").path]
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let root = folder.url.appending(path: "out").resolvingSymlinksInPath()
        return try files(root).reduce(into: [:]) { files, file in
            let name = file.resolvingSymlinksInPath().path.dropFirst(root.path.count + 1)
            files[String(name)] = try Data(contentsOf: file)
        }
    }
}

extension JSONValue {
    fileprivate var object: [String: JSONValue]? {
        if case .object(let members) = self { members } else { nil }
    }
}
