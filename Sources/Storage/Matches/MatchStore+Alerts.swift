package import Domain
import SQL

extension MatchStore {
    /// The most listings whose owners are told of a new one.
    private static let maxReaders = 20
    /// Below the least probability that an alert can have, because the owner of the other listing sees another one: that
    /// depends on what else is near it.
    private static let minProbability = 0.005

    package func findListing(key: Int64) throws -> Listing? {
        try database.readNow { db in try Self.listing(key, db) }
    }

    /// Returns the alerts of listings that a listing may be a match of, with the probabilities that their owners see.
    package func findAlerts(for listing: Listing) throws -> [(alert: Int64, probability: Double)] {
        let likely = try find(
            for: listing,
            asOwner: true,
            minProbability: Self.minProbability,
            limit: Self.maxReaders,
            Listing.init
        ).matches
        return try likely.compactMap { match in
            guard let alert = try alert(of: match.value) else { return nil }
            let seen = try find(
                for: match.value,
                asOwner: true,
                minProbability: alert.minProbability,
                limit: Int(1 / Alert.probabilities.lowerBound),
                \.key
            ).matches
            return seen.first { $0.value == listing.key }.map { (alert.key, $0.probability) }
        }
    }

    private func alert(of listing: Listing) throws -> (key: Int64, minProbability: Double)? {
        try database.readNow { db in
            try db.row(
                """
                SELECT alert.id, min_probability FROM alert JOIN account ON account.id = account_id
                WHERE listing_id = ? AND NOT paused AND NOT disabled
                """,
                [listing.key]
            ) { row in (row.integer(0), row.real(1)) }
        }
    }
}
