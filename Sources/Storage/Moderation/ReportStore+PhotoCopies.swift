import Domain
package import Foundation
import SQL

extension ReportStore {
    /// The maximum number of listings with a copy of a photo that moderators are told of.
    package static let maxPhotoCopies = 5

    /// Opens a case for each photo of which a listing of another account has a copy, so that moderators look whether it was
    /// stolen. A photo of which there was a case before gets no other one. Photos that were removed are left out.
    package func fileCopies(of photos: [UUID]) async throws {
        let copies = try await database.read { db in
            try photos.filter { try !PhotoCopies.findOthers(of: $0, limit: 1, db).isEmpty }
        }
        guard !copies.isEmpty else { return }
        try await database.write { db in
            for photo in copies where try !Self.hasCase(photo, db) { try Self.fileCopy(photo, db) }
        }
    }

    private static func hasCase(_ photo: UUID, _ db: SQLConnection) throws -> Bool {
        try db.exists("SELECT 1 FROM report_case WHERE subject_uuid = ? AND subject = 'photo'", [photo])
    }

    private static func fileCopy(_ photo: UUID, _ db: SQLConnection) throws {
        let owner = try db.row(
            "SELECT account_id, id FROM listing WHERE id = (SELECT listing_id FROM photo WHERE uuid = ?)",
            [photo]
        ) { row in ReportedSubject(owner: try row[0], listing: try row[1]) }
        guard let owner else { return }
        let now = Timestamp.now.text
        let key = try openCase(Report.Draft(subject: .photo, id: photo, reason: .other, text: nil), owner, at: now, db)
        try db.execute(
            "INSERT INTO report (case_id, reason, created_at) VALUES (?, ?, ?)",
            [key, Report.Reason.other.rawValue, now]
        )
    }

    /// Returns the cases with the listings of other accounts that have a copy of a reported photo.
    static func findingPhotoCopies(_ cases: [Case], _ db: SQLConnection) throws -> [Case] {
        try cases.map { report in
            guard report.subject == .photo else { return report }
            var report = report
            report.photoCopies = try PhotoCopies.findOthers(of: report.subjectID, limit: maxPhotoCopies, db)
            return report
        }
    }
}
