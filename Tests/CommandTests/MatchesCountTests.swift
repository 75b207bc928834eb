import Domain
import Foundation
import SQL
import Storage
import TestSupport
import Testing

@Suite("Command matches count")
struct MatchesCountTests {
    private let program: Program
    private let database: DatabaseFile

    init() async throws {
        program = try Program()
        database = try DatabaseFile(directory: program.folder.url.appending(path: "data"))
        _ = try database.migrate()
    }

    /// Posts pairs whose owners have both said yes: beagles and poodles by turns, 100 m apart.
    private func link(_ count: Int) async throws {
        let account = try await AccountStore(database).createGuest(tokenHash: Data(repeating: 1, count: 32))
        let listings = ListingStore(database)
        for number in 0..<count {
            func post(_ status: Listing.Status, _ lat: Double) async throws -> Int64 {
                let draft = try ListingStore.Draft.at(14.79, lat, status) { content in
                    content.breed = number.isMultiple(of: 2) ? "Beagle" : "Poodle"
                    content.locationPrecision = .exact
                    content.lastSeenAt = Timestamp.now.adding(days: -2)
                }
                return try await listings.create(draft, owner: account).key
            }
            let lat = 40 + Double(number) / 1000
            let (lost, found) = (try await post(.lost, lat), try await post(.found, lat + 0.001))
            // A lost dog of another owner, with whom each find is compared.
            _ = try await post(.lost, lat + 0.01)
            try await database.write { db in
                try db.execute(
                    """
                    INSERT INTO match_answer (lost_id, found_id, lost_answer, found_answer, lost_answered_at, found_answered_at,
                        found_status, linked_at)
                    VALUES (?1, ?2, 'yes', 'yes', ?3, ?3, 'found', ?3)
                    """,
                    [lost, found, Timestamp.now.text]
                )
                try db.execute("UPDATE listing SET status = 'reunited' WHERE id IN (?, ?)", [lost, found])
            }
        }
    }

    private func count(_ options: String...) throws -> Program.Outcome {
        try program.run(["matches", "count"] + options, data: database.url.deletingLastPathComponent())
    }

    @Test("With few links, answers are counted and no weights are written")
    func few() async throws {
        try await link(3)
        let outcome = try count("--json")
        #expect(outcome.status == 0 && outcome.errors.isEmpty)
        #expect(
            outcome.output.contains(#""answers":{"yes":6,"no":0,"unsure":0},"linked":3,"pairs":{"same":3,"other":9}"#)
        )
        let file = program.folder.url.appending(path: "weights.tsv").path
        let refused = try count("--write-weights", file)
        #expect(refused.status != 0 && refused.errors.contains("expected at least 200 pairs"))
        #expect(refused.errors.contains("there are 3") && !FileManager.default.fileExists(atPath: file))
        #expect(try count("--match-weights", "/nowhere").errors.contains("cannot read /nowhere"))
    }

    @Test("With enough links, weights are written that the other commands read")
    func enough() async throws {
        try await link(200)
        let file = program.folder.url.appending(path: "weights.tsv").path
        let outcome = try count("--write-weights", file)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let weights = try String(contentsOfFile: file, encoding: .utf8)
        #expect(weights.hasPrefix("kind\tlevel\tbits\n"))
        let again = try count("--match-weights", file, "--json")
        #expect(again.status == 0 && again.output.contains(#""linked":200"#))
        let folder = database.url.deletingLastPathComponent()
        let listing = try await database.read { db in
            try db.value("SELECT uuid FROM listing WHERE status = 'lost' LIMIT 1") as String?
        }
        let matches = try program.run(
            ["listings", "matches", try #require(listing), "--match-weights", file],
            data: folder
        )
        #expect(matches.status == 0 && matches.output.contains("compared"))
    }
}
