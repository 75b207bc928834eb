package import Domain
import SQL

/// The breeds to which listings may refer.
package struct BreedStore: Sendable {
    private let database: any Database

    package init(_ database: any Database) {
        self.database = database
    }

    /// Updates the table from the bundled list. Breeds that are no longer in the list remain while listings refer to
    /// them.
    package func put(_ breeds: Breeds) async throws {
        try await database.write { db in
            let statement = try PreparedStatement(
                db,
                """
                INSERT INTO breed (key, name_en, name_it) VALUES (?, ?, ?)
                ON CONFLICT (key) DO UPDATE SET name_en = excluded.name_en, name_it = excluded.name_it
                WHERE breed.name_en <> excluded.name_en OR breed.name_it <> excluded.name_it
                """
            )
            for breed in breeds.all { try statement.run([breed.key, breed.name, breed.name(in: .italian)]) }
        }
    }
}
