import CSV
import Domain
import Foundation
import SQL
import ServerSupport
import Storage
import TestSupport
import Testing

@Suite("Exports")
struct ExportRoutesTests {
    /// Creates listings with text that could break files; every seventh one is hidden.
    private static func fill(_ board: TestDatabase, _ count: Int) async throws {
        let owner = try await board.guest()
        let drafts = try (0..<count).map { number in
            try ListingStore.Draft.at(
                Double(number % 360) - 180,
                Double(number % 170) - 85,
                Listing.Status.allCases[number % 5],
                createdAt: Timestamp.now.adding(seconds: Double(number / 2 - count))
            ) { content in
                content.name = ["=1+1", "Argo, \"the\" dog", "-Luna", "due\nrighe", "Ελλη"][number % 5] + " \(number)"
                content.description = number % 3 == 0 ? "@SUM(A1)" : nil
                content[.microchip] = "380260000000001"
                content[.reference] = "secret \(number)"
                content.contactName = .init(value: "Anna", isPublic: number % 2 == 0)
                content.contactPhone = .init(value: "089 1234567", isPublic: number % 3 == 0)
                content.contactEmail = .init(value: "private@example.org", isPublic: false)
            }
        }
        try await board.fill(drafts, owner: owner)
        try await board.database.write { db in
            try db.execute("UPDATE listing SET hidden = TRUE WHERE reference LIKE '%07' OR reference LIKE '%57'")
        }
    }

    /// All public listings, oldest first, without pages.
    private static func listings(
        _ board: TestDatabase,
        _ change: (inout ListingQuery) -> Void
    ) async throws -> [Listing] {
        var query = ListingQuery()
        query.order = .oldest
        query.limit = 10_000
        change(&query)
        return try await board.search.find(query).entries.map(\.listing)
    }

    @Test("Exports agree with the database row by row")
    func rows() async throws {
        try await RunningService.with(hasModel: false) { service in
            try await Self.fill(service.board, 1_200)
            let filters: [(String, Int, (inout ListingQuery) -> Void)] = [
                ("", 680, { _ in }),
                ("?status=reunited,lost", 440, { $0.statuses = [.lost, .reunited] }),
                (
                    "?bbox=-20,-90,20,90&q=argo", 20,
                    { query in
                        query.statuses = Listing.Status.open
                        query.text = "argo"
                        query.box = try? BoundingBox(parsing: "-20,-90,20,90")
                    }
                ),
            ]
            for (filter, least, change) in filters {
                let wanted = try await Self.listings(service.board, change)
                #expect(wanted.count >= least, "\(filter)")
                let csv = try await service.send("GET", "/v1/listings.csv" + filter)
                let rows = try Self.rows(csv.body)
                #expect(rows.count == wanted.count, "\(filter)")
                for (row, listing) in zip(rows, wanted) { Self.compare(row, listing) }
                let json = try await service.send("GET", "/v1/listings.geojson" + filter)
                #expect(json.ids == wanted.map { $0.id.uuidString.lowercased() }, "\(filter)")
                for answer in [csv, json] {
                    let text = String(decoding: answer.body, as: UTF8.self)
                    for secret in ["380260000000001", "secret", "private@"] {
                        #expect(!text.contains(secret), "\(filter)")
                    }
                }
            }
        }
    }

    private static func rows(_ data: Data) throws -> [CSVRow] {
        var reader = try CSVReader(data)
        #expect(
            reader.header.names.joined(separator: " ")
                == "id created_at status species name breed sex size colour age reward marks collar description last_seen_at lon lat "
                + "place whereabouts contact_name contact_phone contact_email origin"
        )
        var rows: [CSVRow] = []
        while let row = try reader.next() { rows.append(row) }
        return rows
    }

    private static func compare(_ row: CSVRow, _ listing: Listing) {
        let content = listing.content
        let isOpen = content.status?.isOpen == true
        #expect(row["id"] == listing.id.uuidString.lowercased())
        #expect(row["created_at"] == listing.createdAt.text)
        #expect(row["status"] == content.status?.rawValue)
        #expect(row["name"] == content.name)
        #expect(row["description"] == content.description ?? "")
        #expect(row["lon"] == "\(listing.location.coordinate.lon)")
        #expect(row["lat"] == "\(listing.location.coordinate.lat)")
        #expect(row["contact_name"] == (isOpen && content.contactName.isPublic ? "Anna" : ""))
        #expect(row["contact_phone"] == (isOpen && content.contactPhone.isPublic ? "089 1234567" : ""))
        #expect(row["contact_email"] == "")
    }

    @Test("Exports are attachments, and their cells are not formulas")
    func files() async throws {
        try await RunningService.with(hasModel: false) { service in
            let token = try await service.guest()
            _ = try await service.post(
                #"{"status": "lost", "name": "=cmd", "marks": "@x", "lon": -4.79, "lat": 40.77,"#
                    + #" "location_precision": "exact"}"#,
                token
            )
            // Owners get no additional fields either.
            let csv = try await service.send("GET", "/v1/listings.csv", token: token)
            #expect(csv.headers["content-type"] == "text/csv; charset=utf-8; header=present")
            let disposition = try #require(csv.headers["content-disposition"])
            #expect(disposition.contains(#/^attachment; filename="doggofinder-\d{4}-\d\d-\d\d\.csv"$/#))
            let text = String(decoding: csv.body, as: UTF8.self)
            #expect(text.contains(",'=cmd,") && text.contains(",'@x,") && text.contains(",-4.79,40.77,"))
            #expect(text.hasSuffix("\r\n") && !text.contains("microchip"))
            let empty = try await service.send("GET", "/v1/listings.geojson?species=cat")
            #expect(empty.headers["content-type"] == "application/geo+json")
            #expect(empty.text("type") == "FeatureCollection" && empty.features.isEmpty)
            for (query, field) in [
                ("limit=5", "limit"), ("sort=created_at", "sort"), ("cursor=x", "cursor"), ("status=gone", "status"),
            ] {
                let refused = try await service.send("GET", "/v1/listings.csv?" + query)
                #expect(refused.status == 400 && refused.text("field") == field, "\(query)")
            }
            #expect(try await service.send("HEAD", "/v1/listings.csv").status == 200)
        }
    }

    /// Whether the reads that are in progress end. Only then the log of a database file can be truncated.
    private static func isUnread(_ board: TestDatabase) async throws -> Bool {
        guard TestDatabase.isFile else {
            let start: String? = try board.database.readNow { db in try db.value("SELECT CAST(now() AS text)") }
            try await until("the end of the reads") {
                try !board.database.readNow { db in
                    try db.exists(
                        """
                        SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
                            AND xact_start < CAST(? AS timestamptz)
                            AND backend_type = 'client backend' AND pid <> pg_backend_pid()
                        """,
                        [start]
                    )
                }
            }
            return true
        }
        let file = board.folder.url.appending(path: DatabaseFile.fileName)
        return try SQLConnection(SQLiteConnection(file.path)).value("PRAGMA wal_checkpoint(TRUNCATE)") == 0
    }

    /// Starts a download and stops reading after the first bytes.
    private static func fetch(_ address: String) throws -> (process: Process, output: FileHandle) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments = ["-sN", "--max-time", "60", address]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let first = try? pipe.fileHandleForReading.read(upToCount: 1_000)
        guard first?.isEmpty == false else {
            process.terminate()
            throw TestFailure("nothing came")
        }
        return (process, pipe.fileHandleForReading)
    }

    @Test("A slow client blocks nothing and can disconnect", .timeLimit(.minutes(10)))
    func slowReaders() async throws {
        try await RunningService.with(hasModel: false) { service in
            let owner = try await service.board.guest()
            // The answer is larger than the buffers between server and client.
            let drafts = try (0..<5_000).map { number in
                try ListingStore.Draft.at(14, 40) { $0.description = String(repeating: "x", count: 3_900) }
            }
            try await service.board.fill(drafts, owner: owner)
            let slow = try Self.fetch(service.base + "/v1/listings.geojson")
            defer { slow.process.terminate() }
            let gone = try Self.fetch(service.base + "/v1/listings.csv")
            defer { gone.process.terminate() }
            try await Task.sleep(for: .milliseconds(500))
            // A write during the download reaches the database file and the rest of the answer.
            try await service.board.database.write { db in
                let last = "WHERE id = (SELECT max(id) FROM listing)"
                try db.execute("UPDATE listing SET name = 'Written meanwhile' \(last)")
            }
            #expect(try await Self.isUnread(service.board))
            gone.process.terminate()
            let rest = await withCheckedContinuation { rest in
                Thread.detachNewThread { rest.resume(returning: slow.output.readDataToEndOfFile()) }
            }
            let end = String(decoding: rest.suffix(9_000), as: UTF8.self)
            #expect(end.contains("Written meanwhile") && end.hasSuffix("\n]}\n"))
            #expect(try await service.send("GET", "/v1/listings?limit=1").status == 200)
        }
    }
}
