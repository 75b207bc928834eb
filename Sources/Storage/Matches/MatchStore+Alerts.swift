package import Domain
import SQL

extension MatchStore {
    /// The most listings whose owners are told of a new one.
    private static let maxReaders = 20
    /// Below the least probability that an alert can have, because the owner of the other listing sees another one: that
    /// depends on what else is near it.
    private static let minProbability = 0.005

    package func findListing(key: Int64) throws -> Listing? {
        try database.readNow { db in try Listing.fetch(db, key: key) }
    }

    /// Returns the listings that a new listing is the likeliest match of.
    package func findReaders(of listing: Listing) throws -> [Listing] {
        try find(
            for: listing,
            asOwner: true,
            minProbability: Self.minProbability,
            limit: Self.maxReaders,
            Listing.init
        ).matches.map(\.value)
    }

    /// Returns the alerts of listings of which a new listing is a match, with the probabilities that their owners see.
    package func findAlerts(
        of readers: [Listing],
        for listing: Listing
    ) throws -> [(alert: Int64, probability: Double)] {
        try readers.compactMap { reader in
            guard let alert = try alert(of: reader) else { return nil }
            let seen = try find(
                for: reader,
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
