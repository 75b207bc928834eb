import Domain
import Foundation
import Storage
import TestSupport
import Testing

@Suite("Moderation commands")
struct ModerationCommandTests {
    @Test("Each moderation command takes effect and is recorded in the audit log")
    func allActions()
        async throws
    {
        let program = try Program()
        let database = try DatabaseFile(directory: program.folder.url)
        _ = try database.migrate()
        let (accounts, reports) = (AccountStore(database), ReportStore(database))
        func guest() async throws -> Account {
            try await accounts.createGuest(tokenHash: Data((0..<32).map { _ in .random(in: 0...255) }))
        }
        let (owner, reporter) = (try await guest(), try await guest())
        var listings: [String] = []
        for text in ["Asks for money", nil] {
            let listing = try await ListingStore(database).create(try .at(1, 2), owner: owner)
            listings.append(listing.id.uuidString.lowercased())
            try await reports.file(.init(subject: .listing, id: listing.id, reason: .scam, text: text), by: reporter)
        }
        let ids = try reports.cases(.init()).cases.map { $0.id.uuidString.lowercased() }
        let account = owner.id.uuidString.lowercased()
        let queue = try program.run("moderation", "queue").output
        #expect(queue.contains(ids[0]) && queue.contains(listings[1]) && queue.contains("scam 1"))
        #expect(try program.run("moderation", "queue", "--json").output.split(separator: "\n").count == 2)
        let shown = try program.run("moderation", "show", ids[0]).output
        #expect(shown.contains("Asks for money") && !shown.contains(reporter.id.uuidString.lowercased()))
        for (arguments, answer) in [
            (["hide", listings[0], "--reason", "scam", "--note", "asks for money"], "hidden\n"),
            (["restore", listings[0]], "restored\n"), (["dismiss", ids[1]], "dismissed\n"),
            (["join", listings[0], listings[1], "--note", "one photo"], "joined\n"),
            (["part", listings[1]], "separated\n"),
            (["ban", account, "--reason", "spam", "--until", "2100-01-01"], "banned\n"),
            (["unban", account], "unbanned\n"),
        ] {
            let outcome = try program.run(["moderation"] + arguments, data: program.folder.url)
            #expect(outcome.output == answer, "\(arguments) \(outcome.errors)")
        }
        for arguments in [
            ["dismiss", ids[1]], ["uphold", UUID().uuidString], ["hide", "x"], ["restore", listings[0]],
            ["unban", account], ["join", listings[0], listings[0]], ["join", listings[0], "x"], ["part", listings[0]],
            ["hide", listings[0], "--reason", "because"], ["hide", listings[0], "--note", "me@example.org"],
            ["queue", "--status", "some"], ["remove-photo", UUID().uuidString],
            ["remove-sighting", UUID().uuidString], ["remove-sighting", "x"],
        ] {
            let outcome = try program.run(["moderation"] + arguments, data: program.folder.url)
            #expect(outcome.status != 0 && !outcome.errors.isEmpty, "\(arguments)")
        }
        let audit = try program.run("moderation", "audit", "--json").output.split(separator: "\n")
        let actions = audit.compactMap { $0.firstMatch(of: /"action":"([^"]*)"/)?.1 }
        #expect(
            actions == [
                "account.unban", "account.ban", "listing.part", "listing.join", "report.dismiss", "listing.restore",
                "report.uphold", "listing.hide",
            ]
        )
        #expect(audit.allSatisfy { $0.contains("\"actor\":\"command-line:") })
        #expect(
            try program.run("moderation", "audit", "--action", "listing.hide").output.contains("scam: asks for money")
        )
        #expect(try program.run("check").output.contains("chain of the audit: ok"))
    }
}
