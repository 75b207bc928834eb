import SQL

extension DatabaseCheck {
    /// Every saved search has an area, and every area a search. Keys of alerts are never used again.
    static func alerts(_ db: SQLConnection) throws -> [String] {
        var problems = db.engine == .spatiaLite ? try treeProblems("alert_area", db).map { "alert_area: \($0)" } : []
        problems +=
            (try db.values(
                "SELECT id FROM alert WHERE search IS NOT NULL AND organisation_id IS NULL AND 2 * id NOT IN (SELECT id FROM alert_area) LIMIT 20"
            ) as [Int64])
            .map { "alert \($0) has no area" }
        problems +=
            (try db.values("SELECT id FROM alert_area WHERE id / 2 NOT IN (SELECT id FROM alert) LIMIT 20") as [Int64])
            .map { "area \($0) has no alert" }
        if try reusesKeys(of: "alert", db) { problems.append("the keys of alerts would be used again") }
        return problems
    }
}
