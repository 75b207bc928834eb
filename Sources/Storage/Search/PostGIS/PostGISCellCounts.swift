import Domain
import SQL

/// Reads the precomputed counts of cells (the table `board_count`) and the listings of cells for the statuses and the
/// species of a query, many cells with one statement.
struct PostGISCellCounts {
    private let db: SQLConnection
    private let kind: SQLText

    init(_ db: SQLConnection, _ query: ListingQuery) {
        self.db = db
        let statuses: SQLText = "status = ANY(\(.array(query.statuses.map(\.rawValue))))"
        kind = query.species.map { "\(statuses) AND species = \(.text($0.rawValue))" } ?? statuses
    }

    /// Returns the cells that have listings.
    func read(_ cells: [Int64]) throws -> [Int64: ListingTally] {
        guard !cells.isEmpty else { return [:] }
        let sql: SQLText = """
            SELECT cell, CAST(sum(listings) AS bigint), CAST(sum(lon_sum) AS bigint), CAST(sum(lat_sum) AS bigint)
            FROM board_count WHERE cell = ANY(\(.array(cells))) AND \(kind) GROUP BY cell
            """
        let scan = try PreparedStatement(db, sql.sql, sql.values)
        var tallies: [Int64: ListingTally] = [:]
        while try scan.next() {
            let count = ListingCount(count: Int(scan.integer(1)))
            if count.count > 0 {
                tallies[scan.integer(0)] = ListingTally(count: count, lon: scan.integer(2), lat: scan.integer(3))
            }
        }
        return tallies
    }

    func listings(_ cells: [Int64]) throws -> [Candidate] {
        guard !cells.isEmpty else { return [] }
        let sql: SQLText = "SELECT id, lon, lat FROM board_cell WHERE cell = ANY(\(.array(cells))) AND \(kind)"
        let scan = try PreparedStatement(db, sql.sql, sql.values)
        var found: [Candidate] = []
        while try scan.next() {
            if let point = Coordinate(lon: scan.real(1), lat: scan.real(2)) {
                found.append(Candidate(key: scan.integer(0), point: point))
            }
        }
        return found
    }
}
