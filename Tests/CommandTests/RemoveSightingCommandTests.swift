import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite("Command to remove a sighting")
struct RemoveSightingCommandTests {
    @Test("A sighting is removed once, with an entry in the audit log", arguments: [true, false])
    func removal(isJSON: Bool) async throws {
        let program = try Program()
        let database = try DatabaseFile(directory: program.folder.url)
        _ = try database.migrate()
        let accounts = AccountStore(database)
        func guest() async throws -> Account {
            try await accounts.createGuest(tokenHash: Data((0..<32).map { _ in .random(in: 0...255) }))
        }
        let listing = try await ListingStore(database).create(try .at(1, 2), owner: try await guest())
        let draft = SightingDraft(
            point: try #require(Coordinate(lon: 1, lat: 2)),
            isApproximate: false,
            place: nil,
            seenAt: .now,
            text: "Buy my dog food",
            contactPhone: nil
        )
        let sightings = SightingStore(database)
        let author = try await guest()
        let id = try await sightings.add(draft, id: UUID(), of: listing, by: author).sighting.id.uuidString.lowercased()
        let arguments = ["moderation", "remove-sighting", id, "--reason", "spam"] + (isJSON ? ["--json"] : [])
        let removed = try program.run(arguments, data: program.folder.url)
        #expect(removed.output == (isJSON ? "{\"removed\":\"\(id)\"}\n" : "removed\n"), "\(removed.errors)")
        #expect(try sightings.findSightings(of: listing, seenBy: author).isEmpty)
        let again = try program.run(arguments, data: program.folder.url)
        #expect(again.status != 0 && again.errors.contains("no such sighting"))
        let wrong = try program.run(["moderation", "remove-sighting", "x"], data: program.folder.url)
        #expect(wrong.status != 0 && wrong.errors.contains("sighting") && wrong.errors.contains("0f8fad5b"))
        let audit = try program.run("moderation", "audit", "--action", "sighting.remove", "--json").output
        #expect(audit.contains(id) && audit.contains("command-line:"))
        #expect(audit.split(separator: "\n").count == 1)
    }
}
