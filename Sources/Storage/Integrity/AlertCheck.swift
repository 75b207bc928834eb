import SQL

extension DatabaseCheck {
    /// Every saved search has an area, and every area a search. Keys of alerts are never used again.
    static func alerts(_ db: SQLConnection) throws -> [String] {
        let structure = try db.value("SELECT rtreecheck('main', 'alert_area')") as String?
        var problems = structure == "ok" ? [] : ["alert_area: \(structure ?? "cannot be read")"]
        problems +=
            (try db.values(
                "SELECT id FROM alert WHERE search IS NOT NULL AND 2 * id NOT IN (SELECT id FROM alert_area) LIMIT 20"
            ) as [Int64])
            .map { "alert \($0) has no area" }
        problems +=
            (try db.values("SELECT id FROM alert_area WHERE id / 2 NOT IN (SELECT id FROM alert) LIMIT 20") as [Int64])
            .map { "area \($0) has no alert" }
        if try db.exists(
            """
            SELECT 1 FROM (SELECT max(id) AS last FROM alert) AS used
            WHERE last > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'alert'), 0)
            """
        ) {
            problems.append("the keys of alerts would be used again")
        }
        return problems
    }
}
