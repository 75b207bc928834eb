package import Domain
package import Foundation
import GRDB
import SpatiaLite

/// A post that a client can safely repeat with the same key if the response was lost
/// (draft-ietf-httpapi-idempotency-key-header).
package struct IdempotentPost: Sendable {
    package let key: String
    /// The SHA-256 digest of the request.
    package let digest: Data

    /// The number of hours for which responses are kept.
    private static let lifetime = 24.0
    /// The maximum number of keys per account. Repetitions come within seconds, so the oldest keys are deleted first.
    private static let maxKeys = 1000

    package init(key: String, digest: Data) {
        self.key = key
        self.digest = digest
    }

    /// The response as it was sent.
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

    /// Returns nil if the key is new or has expired. Throws if it was used for a different request.
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
    /// Returns the response to the same post, if it was made before.
    package func findAnswer(to post: IdempotentPost, owner: Account) throws -> IdempotentPost.Answer? {
        try database.readNow { db in try post.findAnswer(of: owner.key, db) }
    }

    /// Creates a listing once, even if the same post is repeated or arrives concurrently. The response is stored in the
    /// same transaction as the listing.
    ///
    /// - Parameter answer: creates the response.
    /// - Returns: the first response, and whether this post is a repetition.
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
