import Domain
package import Foundation
import SQL

extension PhotoStore {
    /// A sighting or message to which a photo belongs, by its key.
    enum Subject {
        case sighting(Int64)
        case message(Int64)
    }

    /// Adds a photo in the transaction that stores its subject. The files must be on the disk already.
    static func attach(_ photo: StoredPhoto, to subject: Subject, _ db: SQLConnection) throws {
        let (column, key) =
            switch subject {
            case .sighting(let key): ("sighting_id", key)
            case .message(let key): ("message_id", key)
            }
        try db.execute(
            "INSERT INTO photo (uuid, width, height, \(column)) VALUES (?, ?, ?, ?)",
            [photo.id, photo.width, photo.height, key]
        )
    }

    /// The rule that decides who may see a photo.
    package enum Audience: Equatable, Sendable {
        case everybody
        /// The account with this key, and admins: the photo of a hidden listing.
        case owner(Int64)
        /// Those who may see the sighting with this id.
        case sighting(UUID)
        /// The two parties of the conversation, if they may see the message with this id.
        case message(UUID)
    }

    /// Returns nil if there is no such photo.
    package func audience(of id: UUID) throws -> Audience? {
        try database.readNow { db in
            try db.row(
                """
                SELECT listing.hidden, listing.account_id, sighting.uuid AS sighting, message.uuid AS message
                FROM photo LEFT JOIN listing ON listing.id = photo.listing_id
                    LEFT JOIN sighting ON sighting.id = photo.sighting_id
                    LEFT JOIN message ON message.id = photo.message_id
                WHERE photo.uuid = ?
                """,
                [id]
            ) { row in
                if let sighting = try row["sighting"] as UUID? { return .sighting(sighting) }
                if let message = try row["message"] as UUID? { return .message(message) }
                return row.integer(0) == 0 ? .everybody : .owner(row.integer(1))
            }
        }
    }
}

extension StoredPhoto {
    /// The columns of `photo` from which `init(joined:)` reads.
    static let columns = "photo.uuid AS photo_uuid, photo.width AS photo_width, photo.height AS photo_height"

    /// - Parameter row: a row with `columns` of an outer join, which has no values where there is no photo.
    init?(joined row: StatementRow) throws {
        guard let id = try row["photo_uuid"] as UUID? else { return nil }
        try self.init(id: id, width: row["photo_width"], height: row["photo_height"])
    }
}
