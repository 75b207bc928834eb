import SQL

/// Rows that are derived from others.
struct DerivedData {
    /// The rows that the first columns of the queries identify, and where they are found, for messages.
    let row, place: String
    /// Queries for the rows as they should be and as they are.
    let wanted, found: String

    /// Returns a problem for each row in which the queries differ, at most 20 per direction.
    func problems(_ db: SQLConnection) throws -> [String] {
        // PostgreSQL compares on the server, which sorts in files: all rows would be too many for the memory here.
        guard try db.engine == .postGIS || RowFingerprint(db, wanted) != RowFingerprint(db, found) else { return [] }
        let (wanted, found) = ("SELECT * FROM (\(wanted)) AS wanted", "SELECT * FROM (\(found)) AS found")
        return try DatabaseCheck.problems(
            "\(row) # is not in \(place), or not as it is", "\(wanted) EXCEPT \(found)", db)
            + DatabaseCheck.problems("\(row) # in \(place) is not so", "\(found) EXCEPT \(wanted)", db)
    }
}
