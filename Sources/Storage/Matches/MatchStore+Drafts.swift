package import Domain
package import Matching

extension MatchStore {
    /// Returns the open lost listings that an animal may be before it is posted, the likeliest first.
    ///
    /// - Parameters:
    ///   - draft: of a found or sighted animal.
    ///   - photos: what the model saw in the photos of the draft.
    ///   - author: whose blocks are respected; nil for a guest without an account.
    ///   - read: extracts a value from the row of a lost listing.
    package func findLost<Value>(
        like draft: ListingStore.Draft,
        photos: [RecordedClassification] = [],
        by author: Account?,
        minProbability: Double,
        limit: Int,
        _ read: (ListingRow) throws -> Value
    ) throws -> [PossibleMatch<Value>] {
        let now = Timestamp.now
        let found = Listing(
            key: 0,
            id: draft.id,
            code: .random(),
            owner: author?.key ?? 0,
            version: 1,
            hidden: false,
            content: draft.content,
            location: draft.location,
            photos: [],
            createdAt: draft.createdAt ?? now,
            updatedAt: now
        )
        return try database.readNow { db in
            let search = try CandidateSearch(forFound: found, vectors: photos.compactMap(\.comparedVector), reader, db)
            let ranking = try MatchRanking(search.run(db), for: search, reader, weights, db)
            var matches: [PossibleMatch<Value>] = []
            for entry in ranking.entries(after: nil) {
                guard matches.count < limit, entry.probability >= minProbability else { break }
                if let match = try Self.read(entry, MatchAnswers(), for: found, ranking, db, read) {
                    matches.append(match)
                }
            }
            return matches
        }
    }
}
