package import Domain
import Foundation
package import Storage

extension JSONWriter {
    /// Writes a reported subject for moderators. It does not identify the reporters.
    ///
    /// - Parameter base: the base URL of the service, before the paths of photos.
    package mutating func report(_ report: ReportStore.Case, base: String) {
        object { json in
            json.field("id", report.id.lowercased)
            json.field("subject", report.subject.rawValue)
            json.field("subject_id", report.subjectID.lowercased)
            json.field("status", report.status.rawValue)
            json.field("reports", report.reports)
            json.field("registered", report.registered)
            json.object("reasons") { json in
                for (reason, reports) in report.reasons { json.field(named: reason.rawValue, reports) }
            }
            json.field("reported_at", report.reportedAt.text)
            json.field("last_reported_at", report.lastReportedAt.text)
            json.field("decided_at", report.decidedAt?.text)
            json.field("there", report.isThere)
            json.field("message", report.message)
            json.field("copies", report.copies)
            json.array("photo_copies", report.photoCopies) { $0.string($1.lowercased) }
            json.photo(report.photo, base: base)
            json.field("listing_id", report.listing?.lowercased)
            json.field("listing_hidden", report.isListingHidden)
            json.object("account") { json in
                json.field("id", report.account.lowercased)
                json.field("role", report.role.rawValue)
                json.embed("ban") { json in
                    if let ban = report.ban { json.ban(ban) } else { json.null() }
                }
            }
            json.objects("texts", report.texts) { json, text in
                json.field("reason", text.reason.rawValue)
                json.field("text", text.text)
                json.field("at", text.at.text)
            }
        }
    }

    package mutating func ban(_ ban: Ban) {
        object { json in
            json.field("reason", ban.reason.rawValue)
            json.field("until", ban.until?.text)
        }
    }

    package mutating func entry(_ entry: Audit.Entry) {
        object { json in
            json.field("id", Int(entry.id))
            json.field("at", entry.at)
            json.field("actor", entry.actor)
            json.field("action", entry.action)
            json.field("subject", entry.subject)
            json.field("note", entry.note)
            json.field("digest", entry.digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())
        }
    }
}
