package import Domain
package import Foundation
import SQL

/// A listing whose post at a social account is to be made, changed or deleted.
package struct DueSocialPost: Sendable {
    package let key: Int64
    package let account: SocialAccount
    /// Encrypted.
    package let token: Data
    /// The `Listing.id`, whose listing may be deleted.
    package let listing: UUID
    /// When the listing was noted for the account. Together with both ids, it tells a post from earlier ones.
    package let notedAt: String
    /// The post at the service; nil if there is none.
    package let posted: Posted?
    /// The number of failed attempts.
    package let attempts: Int
    /// The number of changes that the post does not show yet.
    let pending: Int64

    /// The contents of a post.
    package struct Posted: Equatable, Sendable {
        /// The id of the post at the service.
        package let remoteID: String
        /// A digest of its words.
        package let digest: String
        /// The path of its photo.
        package let photo: String?

        package init(remoteID: String, digest: String, photo: String?) {
            (self.remoteID, self.digest, self.photo) = (remoteID, digest, photo)
        }
    }
}

/// The result of an attempt.
package enum SocialOutcome: Sendable {
    /// The post shows the listing as it is.
    case shown(DueSocialPost.Posted)
    /// No post shows the listing, and none should.
    case absent
    /// The post was deleted, and a new one is to be made, for example with the first photo.
    case replaced
    case retry(until: Timestamp)
    /// The attempts end until the listing changes.
    case failed(SocialAccount.Problem)
}

/// The posts of listings at other services.
package struct SocialPostStore: Sendable {
    /// The most listings of an account whose posts are to be made or changed; further new listings are not posted there. The
    /// view `listing_social` has the same number.
    package static let maxWaiting = 200
    /// In seconds: the time in which a new listing gets its photos, which programs upload afterwards, and first corrections.
    package static let settlingTime = 60.0

    let database: any Database

    package init(_ database: any Database) { self.database = database }

    package var isLeader: Bool { database.isLeader }

    /// Returns a post that is due for each account: changes and deletions first, then the listing that has waited longest.
    ///
    /// - Parameter busy: the keys of accounts that have to wait.
    package func next(due now: Timestamp, except busy: [Int64], limit: Int) throws -> [DueSocialPost] {
        guard limit > 0 else { return [] }
        let busy = try busy.json
        return try database.readNow { db in
            try db.rows(
                """
                SELECT social_account.*, social_post.id AS post_id, listing_uuid, noted_at, pending, attempts, remote_id, digest, photo
                FROM social_account JOIN social_post ON social_post.id = (
                    SELECT id FROM social_post
                    WHERE social_account_id = social_account.id AND pending > 0 AND next_attempt_at <= ?1
                        AND (remote_id IS NOT NULL OR noted_at <= ?2)
                    ORDER BY remote_id IS NULL, next_attempt_at, id LIMIT 1)
                WHERE NOT paused AND social_account.id NOT IN (SELECT CAST(value AS BIGINT) FROM json_each(?3))
                    AND NOT EXISTS (SELECT 1 FROM account WHERE account.id = social_account.account_id AND disabled)
                ORDER BY next_attempt_at LIMIT ?4
                """,
                [now, now.adding(seconds: -Self.settlingTime), busy, limit],
                DueSocialPost.init
            )
        }
    }

    /// Returns the listing that a post is to show. Returns nil if it is hidden or deleted, and if it was never posted and is
    /// not open any more or outside the circle, in whose box it is.
    package func findListing(_ post: DueSocialPost) async throws -> Listing? {
        let listing = try await database.read { db in
            try Listing.fetch(db, "listing.uuid = ?", [post.listing]).first
        }
        guard let listing, !listing.hidden else { return nil }
        let area = SearchArea(circle: post.account.selection.circle, box: nil)
        let isWanted = listing.content.isOpen && area.distance(to: listing.location.coordinate) != nil
        return post.posted != nil || isWanted ? listing : nil
    }

    /// Returns the time of the first attempt after `now`.
    package func nextAttempt(after now: Timestamp) throws -> Timestamp? {
        try database.nextAttempt(in: Self.posts, where: Self.isWaiting, after: now)
    }

    private static let posts = "social_post JOIN social_account ON social_account.id = social_account_id"
    private static let isWaiting = "pending > 0 AND NOT paused"

    /// The number of posts that are to be made, changed or deleted, without those of paused accounts.
    package func countWaiting() throws -> Int {
        try database.readNow { db in try db.count("\(Self.posts) WHERE \(Self.isWaiting)") }
    }

    /// The number of listings that each account shows, by `SocialAccount.key`.
    package func countShown(at accounts: [SocialAccount]) throws -> [Int64: Int] {
        try database.readNow { db in
            try accounts.reduce(into: [:]) { counts, account in
                counts[account.key] = try db.count(
                    "social_post WHERE social_account_id = ? AND remote_id IS NOT NULL", [account.key])
            }
        }
    }

    /// Records what became of attempts, in one transaction. Changes of the listing since the attempt began stay to be shown.
    package func settle(_ results: [(DueSocialPost, SocialOutcome)], at now: Timestamp) async throws {
        try await database.write { db in
            for (post, outcome) in results {
                switch outcome {
                case .shown(let posted): try Self.note(posted, post, db)
                case .absent: try Self.remove(post, at: now, db)
                case .replaced: try Self.renew(post, takes: 0, at: now, db)
                case .retry(let time):
                    try db.execute(
                        "UPDATE social_post SET attempts = attempts + 1, next_attempt_at = ? WHERE id = ?",
                        [time, post.key]
                    )
                case .failed(let problem): try Self.fail(post, problem, at: now, db)
                }
            }
        }
    }

    private static func note(_ posted: DueSocialPost.Posted, _ post: DueSocialPost, _ db: SQLConnection) throws {
        try db.execute(
            """
            UPDATE social_post SET remote_id = ?, digest = ?, photo = ?, attempts = 0, pending = pending - ? WHERE id = ?
            """,
            [posted.remoteID, posted.digest, posted.photo, post.pending, post.key]
        )
        try db.execute(
            "UPDATE social_account SET problem = NULL, problem_at = NULL WHERE id = ? AND problem IS NOT NULL",
            [post.account.key]
        )
    }

    private static func remove(_ post: DueSocialPost, at now: Timestamp, _ db: SQLConnection) throws {
        let removed = try db.execute("DELETE FROM social_post WHERE id = ? AND pending = ?", [post.key, post.pending])
        if removed == 0 { try renew(post, takes: post.pending, at: now, db) }
    }

    /// Forgets what was at the service, so that a new post is made if the listing is to be shown.
    private static func renew(_ post: DueSocialPost, takes count: Int64, at now: Timestamp, _ db: SQLConnection) throws
    {
        try db.execute(
            """
            UPDATE social_post SET remote_id = NULL, digest = NULL, photo = NULL, attempts = 0, noted_at = ?,
                pending = pending - ?
            WHERE id = ?
            """,
            [now.adding(seconds: -settlingTime), count, post.key]
        )
    }

    private static func fail(
        _ post: DueSocialPost,
        _ problem: SocialAccount.Problem,
        at now: Timestamp,
        _ db: SQLConnection
    ) throws {
        try db.execute(
            "UPDATE social_account SET problem = ?, problem_at = ?, paused = paused OR ? WHERE id = ?",
            [problem.rawValue, now, problem.pauses, post.account.key]
        )
        // Posts wait until somebody has corrected the permissions of the token.
        guard !problem.pauses else { return }
        if post.posted == nil {
            try db.execute("DELETE FROM social_post WHERE id = ?", [post.key])
        } else {
            try db.execute(
                "UPDATE social_post SET pending = pending - ?, attempts = 0 WHERE id = ?",
                [post.pending, post.key]
            )
        }
    }
}

extension DueSocialPost {
    fileprivate init(_ row: StatementRow) throws {
        account = try SocialAccount(row)
        key = try row["post_id"]
        token = try row["token"]
        listing = try row["listing_uuid"]
        notedAt = try row["noted_at"]
        pending = try row["pending"]
        attempts = try row["attempts"]
        posted = try (row["remote_id"] as String?).map {
            Posted(remoteID: $0, digest: try row["digest"], photo: try row["photo"])
        }
    }
}
