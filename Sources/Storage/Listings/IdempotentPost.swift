package import Domain
package import Foundation
import GRDB
import SpatiaLite

/// A post that its sender may send again where the answer was lost, by a key of their choice (draft-ietf-httpapi-idempotency-key-header).
package struct IdempotentPost: Sendable {
    package let key: String
    /// SHA-256 of what is sent.
    package let digest: Data

    /// Hours that answers are kept.
    private static let lifetime = 24.0
    /// Of one account. Repetitions come within seconds; what is older gives way.
    private static let maxKeys = 1000

    package init(key: String, digest: Data) {
        self.key = key
        self.digest = digest
    }

    /// What was answered, as it went out.
    package struct Answer: Equatable, Sendable {
        package let listing: UUID
        package let tag: String
        package let body: Data

        package init(listing: UUID, tag: String, body: Data) {
            self.listing = listing
            self.tag = tag
            self.body = body
        }
    }

    /// Nil where the key is new, or forgotten. Throws where it was used for something else.
    func findAnswer(of owner: Int64, _ db: Database) throws -> Answer? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT request_digest, listing_uuid, etag, body FROM idempotency_key
                WHERE account_id = ? AND key = ? AND created_at > ?
                """,
            arguments: [owner, key, Self.oldest]
        )
        guard let row else { return nil }
        guard row["request_digest"] == digest else {
            throw ServiceError(
                .unprocessable,
                "Idempotency-Key: was used for another request: expected a new one",
                field: "Idempotency-Key"
            )
        }
        guard let body = row["body"] as Data?, let id = UUID(uuidString: row["listing_uuid"]) else {
            throw ServiceError(.conflict, "Idempotency-Key: what was posted with it was removed since")
        }
        return Answer(listing: id, tag: row["etag"], body: body)
    }

    func keep(_ answer: Answer, of owner: Int64, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM idempotency_key WHERE created_at <= ?", arguments: [Self.oldest])
        try db.execute(
            sql: """
                DELETE FROM idempotency_key WHERE id IN (
                    SELECT id FROM idempotency_key WHERE account_id = ? ORDER BY id DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [owner, Self.maxKeys - 1]
        )
        try db.execute(
            sql: """
                INSERT INTO idempotency_key (account_id, key, request_digest, listing_id, listing_uuid, etag, body)
                SELECT ?, ?, ?, id, uuid, ?, ? FROM listing WHERE uuid = ?
                """,
            arguments: [owner, key, digest, answer.tag, answer.body, answer.listing.lowercased]
        )
    }

    private static var oldest: String { Timestamp.now.adding(seconds: -lifetime * 3600).text }
}

extension ListingStore {
    /// What was answered to the same post before, if it was.
    package func findAnswer(to post: IdempotentPost, owner: Account) throws -> IdempotentPost.Answer? {
        try database.readNow { db in try post.findAnswer(of: owner.key, db) }
    }

    /// Posts once, however often and however much at once it is asked to: the answer is kept with the listing, or neither is.
    ///
    /// - Parameter answer: writes it.
    /// - Returns: the first answer, and whether this is a repetition.
    package func create(
        _ draft: Draft,
        owner: Account,
        once post: IdempotentPost,
        _ answer: @escaping @Sendable (ListingRow) throws -> IdempotentPost.Answer
    ) async throws -> (answer: IdempotentPost.Answer, isRepeated: Bool) {
        try await database.write { db in
            if let known = try post.findAnswer(of: owner.key, db) { return (known, true) }
            let written = try Self.insert(draft, owner: owner, db, answer)
            if draft.content.isOpen { try quota.checkListings(of: owner.key, db) }
            try post.keep(written, of: owner.key, db)
            return (written, false)
        }
    }
}
