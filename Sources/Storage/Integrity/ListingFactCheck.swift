import Domain
import SQL

/// Checks of tables and columns that belong to a listing but are not part of its public data.
extension DatabaseCheck {
    static func renewals(_ db: SQLConnection) throws -> [String] {
        try differences(
            "listing",
            "listing_renewal",
            wanted: "SELECT id, status IN ('lost', 'found', 'sighted') FROM listing",
            found: "SELECT listing_id, is_open FROM listing_renewal",
            db
        )
    }

    /// Each listing must have a code of its own.
    static func codes(_ db: SQLConnection) throws -> [String] {
        let wrong: [String] = try db.values(
            "SELECT uuid FROM listing WHERE code IS NULL OR length(code) <> ? OR trim(code, ?) <> '' LIMIT 20",
            [ListingCode.length, ListingCode.alphabet]
        )
        let shared: [String] = try db.values(
            "SELECT code FROM listing WHERE code IS NOT NULL GROUP BY code HAVING count(*) > 1 LIMIT 20"
        )
        return wrong.map { "listing \($0) has no code" } + shared.map { "several listings have the code \($0)" }
    }

    /// The public point of a listing with an approximate location must be the centre of the cell that contains the
    /// exact point.
    static func exactPoints(_ db: SQLConnection) throws -> [String] {
        let scan = try PreparedStatement(
            db,
            "SELECT uuid, exact_lon, exact_lat, ST_X(geom), ST_Y(geom) FROM listing WHERE exact_lon IS NOT NULL"
        )
        var problems: [String] = []
        while problems.count < 20, try scan.next() {
            let row = scan.row
            guard let exact = coordinate(try row[1], try row[2]),
                exact.cellCentre == coordinate(try row[3], try row[4])
            else {
                problems.append("listing \(row.string(0) ?? "") does not tell the cell around its point")
                continue
            }
        }
        return problems
    }

    private static func coordinate(_ lon: Double?, _ lat: Double?) -> Coordinate? {
        guard let lon, let lat else { return nil }
        return Coordinate(lon: lon, lat: lat)
    }
}
