import Domain
package import Matching
import SQL

/// How many answers the owners of listings have given to possible matches.
package struct MatchAnswerCounts: Equatable, Sendable {
    package let yes: Int
    package let no: Int
    package let unsure: Int
    /// The confirmed pairs that came home.
    package let linked: Int
}

/// A found animal with the lost listing that it belongs to, and the lost ones that it could have belonged to.
package struct LinkedMatch: Sendable {
    package struct Compared: Sendable {
        package let subject: MatchSubject
        package let distanceMetres: Double

        init(_ candidate: MatchCandidate) {
            (subject, distanceMetres) = (candidate.subject, candidate.distance)
        }
    }

    package let found: MatchSubject
    package let lost: Compared
    package let others: [Compared]
}

extension MatchStore {
    /// The most links that are used to count weights, the newest.
    package static let maxLinks = 10_000

    package func countAnswers() throws -> MatchAnswerCounts {
        try database.readNow { db in
            func count(_ answer: MatchAnswer) throws -> Int {
                try ["lost", "found"].reduce(0) { sum, side in
                    try sum + db.count("match_answer WHERE \(side)_answer = ?", [answer.rawValue])
                }
            }
            return try MatchAnswerCounts(
                yes: count(.yes), no: count(.no), unsure: count(.unsure),
                linked: db.count("match_answer WHERE linked_at IS NOT NULL"))
        }
    }

    /// Calls with the newest confirmed pairs that came home. The others of a pair are the open lost listings near
    /// the find today, because nobody recorded those of its time.
    ///
    /// - Parameter body: its second argument is the number of pairs to come, including this one.
    package func forEachLink(_ body: (LinkedMatch, Int) throws -> Void) throws {
        let links = try database.readNow { db in
            try db.rows(
                "SELECT lost_id, found_id FROM match_answer WHERE linked_at IS NOT NULL ORDER BY linked_at DESC LIMIT ?",
                [Self.maxLinks]
            ) { row in (lost: row.integer(0), found: row.integer(1)) }
        }
        for (index, link) in links.enumerated() {
            let match = try database.readNow { db in try linkedMatch(link.lost, link.found, db) }
            if let match { try body(match, links.count - index) }
        }
    }

    private func linkedMatch(_ lost: Int64, _ found: Int64, _ db: SQLConnection) throws -> LinkedMatch? {
        guard let lost = try Listing.fetch(db, key: lost), let found = try Listing.fetch(db, key: found) else {
            return nil
        }
        let search = try CandidateSearch(forFound: found, reader, db)
        let candidate = try search.candidate(lost, db)
        var others = try search.run(db)
        try others.readPhotos(at: others.indices, reader, db)
        return LinkedMatch(
            found: search.subject,
            lost: .init(candidate),
            others: others.filter { $0.key != lost.key }.map(LinkedMatch.Compared.init)
        )
    }
}
