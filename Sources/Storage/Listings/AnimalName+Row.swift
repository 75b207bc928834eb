import Domain
import SQL

extension AnimalName {
    /// The columns of a query of listings that `init` reads.
    static let columns =
        """
        listing.name, listing.species, listing.breed_key, CASE WHEN listing.breed_predicted THEN NULL ELSE listing.breed END AS breed
        """

    init(_ row: StatementRow) throws {
        let breed: String? = try row["breed"]
        self.init(
            try row["name"],
            try row["species"],
            breed: breed,
            breedKey: breed == nil ? nil : try row["breed_key"]
        )
    }
}
