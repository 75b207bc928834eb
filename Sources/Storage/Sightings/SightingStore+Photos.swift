package import Domain
package import Foundation
import SQL

extension SightingStore {
    /// Returns whether the reader sees the sighting on the page of its listing, and so its photo. Admins also see one that
    /// is reported, until they have decided.
    ///
    /// - Parameter reader: nil for a client without an account.
    package func isVisible(_ id: UUID, to reader: Account?) throws -> Bool {
        try database.readNow { db in
            try db.exists(
                """
                SELECT 1
                FROM sighting JOIN listing ON listing.id = sighting.listing_id
                    JOIN account AS author ON author.id = sighting.account_id
                    LEFT JOIN listing AS attached ON attached.id = sighting.attached_id
                WHERE sighting.uuid = ?2
                    AND ((listing.hidden = 0 OR listing.account_id = ?1 OR ?3) AND \(Self.isVisible)
                        OR ?3 AND EXISTS (
                            SELECT 1 FROM report_case
                            WHERE subject_uuid = sighting.uuid AND subject = 'sighting' AND report_case.status = 'open'))
                """,
                [reader?.key, id.lowercased, reader?.role == .admin]
            )
        }
    }
}
