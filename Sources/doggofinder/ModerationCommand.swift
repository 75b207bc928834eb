import ArgumentParser
import Domain
import Formats
import Foundation
import Storage

struct ModerationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "moderation",
        abstract: "Reports, what to do about them, and the audit log.",
        discussion: """
            Every deed leaves an entry in the audit log with the name of the system's user. Hiding, removing and banning \
            uphold what was reported of it, restoring dismisses it and upholds the owner's appeal.
            """,
        subcommands: [
            Queue.self, Show.self, Dismiss.self, Uphold.self, Hide.self, Restore.self, RemovePhoto.self,
            RemoveSighting.self, Join.self, Part.self,
            Ban.self, Unban.self, Audit.self,
        ]
    )

    struct Queue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List what was reported, each thing once.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "open, dismissed or upheld.") var status = "open"
        @Option(help: "reported_at for the oldest first, -reports for those that most have reported.")
        var sort = "reported_at"
        @OptionGroup var limits: LimitOption

        func run() async throws {
            var query = ReportStore.Query()
            query.status = try Field("status", .string(status)).choice(Report.Status.self) ?? .open
            query.order = try Field("sort", .string(sort)).choice(ReportStore.Query.Order.self) ?? .oldest
            query.limit = limits.limit ?? 50
            let cases = try ReportStore(try await dataOptions.openDatabase()).cases(query).cases
            if output.json {
                for report in cases { printJSON { $0.report(report, base: "") } }
                return
            }
            let rows = cases.map { report in
                [
                    report.id.uuidString.lowercased(), report.subject.rawValue,
                    report.subjectID.uuidString.lowercased(), report.account.uuidString.lowercased(),
                    String(report.reports),
                    report.reasons.map { "\($0.reason.rawValue) \($0.reports)" }.joined(separator: ", "),
                    report.reportedAt.text, report.isListingHidden ? "hidden" : "", report.ban == nil ? "" : "banned",
                ]
            }
            printTable([["id", "of", "subject", "account", "reports", "reasons", "since", "", ""]] + rows)
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a report with what was written, as JSON.")

        @OptionGroup var target: ReportTarget

        func run() async throws {
            let reports = ReportStore(try await target.dataOptions.openDatabase())
            guard let report = try reports.findCase(id: try target.id()) else {
                throw ServiceError(.notFound, "no such report: \(target.report)")
            }
            printJSON { $0.report(report, base: "") }
        }
    }

    struct Dismiss: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Say that there is nothing to a report.")

        @OptionGroup var target: ReportTarget
        @OptionGroup var note: NoteOption

        func run() async throws {
            try await target.decide(.dismissed, note)
            print("dismissed")
        }
    }

    struct Uphold: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Say that a report is right, where it needs no hiding, removing or banning."
        )

        @OptionGroup var target: ReportTarget
        @OptionGroup var note: NoteOption

        func run() async throws {
            try await target.decide(.upheld, note)
            print("upheld")
        }
    }

    struct Hide: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Hide a listing from all but its owner and admins; its owner is told the reason."
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var justification: JustificationOptions
        @Argument(help: "The listing's id.") var listing: String

        func run() async throws {
            let id = try Field("listing", .string(listing)).uuid()
            try await ModerationStore(try await dataOptions.openDatabase()).hide(id, try justification.read())
            print("hidden")
        }
    }

    struct Restore: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a hidden listing again.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var note: NoteOption
        @Argument(help: "The listing's id.") var listing: String

        func run() async throws {
            let id = try Field("listing", .string(listing)).uuid()
            let moderation = ModerationStore(try await dataOptions.openDatabase())
            try await moderation.restore(id, note: try note.read(), by: .commandLine)
            print("restored")
        }
    }

    struct RemovePhoto: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Remove a photo of a listing for good.")

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var justification: JustificationOptions
        @Argument(help: "The photo's id, as its addresses have it.") var photo: String

        func run() async throws {
            let id = try Field("photo", .string(photo)).uuid()
            try await ModerationStore(try await dataOptions.openDatabase()).removePhoto(id, try justification.read())
            try await dataOptions.sweepPhotos()
            print("removed")
        }
    }

    struct Ban: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Shut an account out and hide all it posted.",
            discussion: "Whoever holds the account is told the reason, and until when. Admins cannot be banned."
        )

        @OptionGroup var target: AccountTarget
        @OptionGroup var justification: JustificationOptions
        @Option(help: "A time like 2030-01-01 at which it ends. (default: never)") var until: String?

        func run() async throws {
            let account = try await target.find().account
            let end = try Field("until", until.map(JSONValue.string) ?? .null).futureTimestamp()
            let moderation = ModerationStore(try await target.dataOptions.openDatabase())
            try await moderation.ban(account.id, until: end, try justification.read())
            print("banned")
        }
    }

    struct Unban: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let a banned account in again, and show what it posted."
        )

        @OptionGroup var target: AccountTarget
        @OptionGroup var note: NoteOption

        func run() async throws {
            let account = try await target.find().account
            let moderation = ModerationStore(try await target.dataOptions.openDatabase())
            try await moderation.unban(account.id, note: try note.read(), by: .commandLine)
            print("unbanned")
        }
    }

    struct Audit: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List what admins did, newest first.",
            discussion: """
                Each entry carries the SHA-256 of the one before: `check` finds whether any was changed or left out. Who \
                keeps the last digest elsewhere can tell whether all of them were written anew.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @Option(help: "Only this, like listing.hide.") var action: String?
        @Option(help: "Only what this one did: an account's id, command-line:USER or service.") var actor: String?
        @Option(help: "Only what was done to this: an id, or the name of a source.") var subject: String?
        @OptionGroup var limits: LimitOption

        func run() async throws {
            var query = AuditLog.Query()
            query.action = try Field("action", action.map(JSONValue.string) ?? .null).choice(Domain.Audit.Action.self)
            query.actor = actor
            query.subject = subject
            query.limit = limits.limit ?? 50
            let entries = try AuditLog(try await dataOptions.openDatabase()).entries(query).prefix(query.limit)
            if output.json {
                for entry in entries { printJSON { $0.entry(entry) } }
                return
            }
            let rows = entries.map { entry in
                [String(entry.id), entry.at, entry.actor, entry.action, entry.subject ?? "", entry.note ?? ""]
            }
            printTable([["id", "at", "actor", "action", "subject", "note"]] + rows)
        }
    }
}

extension ModerationCommand {
    struct Join: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Join two listings of the same animal though their owners have not agreed.",
            discussion: """
                Both are open, of one species, and both of lost animals or both of found or sighted ones. The owners see it on their \
                listings; they get no mail of it, as they do if a moderator joins them on the pages.
                """
        )

        @OptionGroup var target: ListingTarget
        @OptionGroup var note: NoteOption
        @Argument(help: "The other listing's id.") var other: String

        func run() async throws {
            let id = try await target.find().listing.id
            let other = try Field("other", .string(other)).uuid()
            let moderation = ModerationStore(try await target.dataOptions.openDatabase())
            try await moderation.join(id, with: other, note: try note.read(), by: .commandLine)
            print("joined")
        }
    }

    struct Part: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Separate a listing from those of the same animal that it is joined with.",
            discussion: "What the owners have said of it is taken back, so that they are asked again."
        )

        @OptionGroup var target: ListingTarget
        @OptionGroup var note: NoteOption

        func run() async throws {
            let id = try await target.find().listing.id
            let moderation = ModerationStore(try await target.dataOptions.openDatabase())
            try await moderation.part(id, note: try note.read(), by: .commandLine)
            print("separated")
        }
    }
}

/// The report that is the subject of a command.
struct ReportTarget: ParsableArguments {
    @OptionGroup var dataOptions: DataOptions
    @Argument(help: "The report's id, as `moderation queue` tells it.") var report: String

    func id() throws -> UUID { try Field("report", .string(report)).uuid() }

    func decide(_ status: Report.Status, _ note: NoteOption) async throws {
        let moderation = ModerationStore(try await dataOptions.openDatabase())
        try await moderation.decide(try id(), status, note: try note.read(), by: .commandLine)
    }
}

struct NoteOption: ParsableArguments {
    @Option(help: "A note for the audit log, without personal data.") var note: String?

    func read() throws -> String? { try Field("note", note.map(JSONValue.string) ?? .null).note() }
}

/// The reason for a moderator's action.
struct JustificationOptions: ParsableArguments {
    @OptionGroup var note: NoteOption
    @Option(help: "scam, spam, abuse, privacy, wrong or other.") var reason = "other"

    func read() throws -> ModerationStore.Justification {
        let reason = try Field("reason", .string(reason)).moderatorsReason()
        return ModerationStore.Justification(reason, note: try note.read(), by: .commandLine)
    }
}

extension Field {
    func uuid() throws(ServiceError) -> UUID {
        guard case .string(let text) = value, let id = UUID(uuidString: text) else {
            throw invalid("expected one like 0f8fad5b-d9cb-469f-a165-70867728950e")
        }
        return id
    }
}

extension ModerationCommand {
    struct RemoveSighting: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a sighting of a lost animal for good.",
            discussion: """
                Also one that is not confirmed. What was written about it stays: conversations belong to the two who have them.
                """
        )

        @OptionGroup var dataOptions: DataOptions
        @OptionGroup var output: OutputOptions
        @OptionGroup var justification: JustificationOptions
        @Argument(help: "The sighting's id, as `moderation queue` and GET /v1/listings/{id}/sightings tell it.")
        var sighting: String

        func run() async throws {
            let id = try Field("sighting", .string(sighting)).uuid()
            let moderation = ModerationStore(try await dataOptions.openDatabase())
            try await moderation.removeSighting(id, try justification.read())
            guard output.json else { return print("removed") }
            printJSONObject { $0.field("removed", id.uuidString.lowercased()) }
        }
    }
}
