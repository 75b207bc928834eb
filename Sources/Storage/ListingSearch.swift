import Domain
import GRDB
import SpatiaLite

/// Turns a query into SQL, and its rows into a page.
struct ListingSearch {
    let query: ListingQuery

    func run(_ db: Database) throws -> ListingPage {
        if query.order == .distance, let circle = query.circle { return try nearest(db, circle) }
        return try byTime(db)
    }

    private func nearest(_ db: Database, _ circle: ListingQuery.Circle) throws -> ListingPage {
        let after = query.cursor.flatMap { cursor in Double(cursor.value).map { (distance: $0, key: cursor.key) } }
        var search = NearestSearch<Int64, Listing>(
            centre: circle.centre,
            radius: circle.radius,
            limit: query.limit + 1,
            after: after
        )
        var filter = SQLFilter()
        filter.add("tree.pkid MATCH nearest(?, ?, ?, ?)", search.treeArguments)
        addBox(to: &filter, column: "tree.pkid")
        addConditions(to: &filter)
        // CROSS JOIN keeps the tree outermost: its order is the answer's.
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Listing.columns)
                FROM idx_listing_geom AS tree CROSS JOIN listing ON listing.id = tree.pkid
                WHERE \(filter.sql)
                """
        )
        let rows = try Row.fetchCursor(statement, arguments: filter.arguments)
        while let row = try rows.next() {
            let point = try row.point()
            guard query.box?.contains(point) ?? true else { continue }
            guard try search.take(point, key: row[0], value: { try Listing(row) }) else { break }
        }
        let entries = search.hits.map { ListingPage.Entry(listing: $0.value, distance: $0.distance) }
        return page(entries) { String($0.distance ?? 0) }
    }

    private func byTime(_ db: Database) throws -> ListingPage {
        let descending = query.order == .newest
        var filter = SQLFilter()
        addSpace(to: &filter)
        addConditions(to: &filter)
        if let cursor = query.cursor {
            filter.add("(listing.created_at, listing.id) \(descending ? "<" : ">") (?, ?)", [cursor.value, cursor.key])
        }
        let direction = descending ? "DESC" : "ASC"
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Listing.columns) FROM listing
                WHERE \(filter.sql)
                ORDER BY listing.created_at \(direction), listing.id \(direction)
                """
        )
        var entries: [ListingPage.Entry] = []
        let rows = try Row.fetchCursor(statement, arguments: filter.arguments)
        while entries.count <= query.limit, let row = try rows.next() {
            let point = try row.point()
            guard query.box?.contains(point) ?? true else { continue }
            let distance = query.circle?.centre.distance(to: point)
            if let radius = query.circle?.radius, let distance, distance > radius { continue }
            entries.append(ListingPage.Entry(listing: try Listing(row), distance: distance))
        }
        return page(entries) { $0.listing.createdAt.text }
    }

    /// One row more than the limit was looked for: it tells whether there is a next page.
    private func page(_ entries: [ListingPage.Entry], value: (ListingPage.Entry) -> String) -> ListingPage {
        guard entries.count > query.limit else { return ListingPage(entries: entries, next: nil) }
        let kept = Array(entries.prefix(query.limit))
        let next = kept.last.map { ListingQuery.Cursor(order: query.order, value: value($0), key: $0.listing.key) }
        return ListingPage(entries: kept, next: next)
    }

    private func addSpace(to filter: inout SQLFilter) {
        var tree = SQLFilter()
        if let circle = query.circle, circle.radius != nil {
            let search = NearestSearch<Int64, Listing>(centre: circle.centre, radius: circle.radius, limit: 0)
            tree.add("pkid MATCH nearest(?, ?, ?, ?)", search.treeArguments)
        }
        addBox(to: &tree, column: "pkid")
        guard !tree.sql.isEmpty else { return }
        filter.add("listing.id IN (SELECT pkid FROM idx_listing_geom WHERE \(tree.sql))", tree.arguments)
    }

    private func addBox(to filter: inout SQLFilter, column: String) {
        guard let box = query.box else { return }
        filter.add(
            "\(column) MATCH in_box(?, ?, ?, ?)",
            [box.southWest.lon, box.southWest.lat, box.northEast.lon, box.northEast.lat]
        )
    }

    private func addConditions(to filter: inout SQLFilter) {
        let statuses = query.statuses.map(\.rawValue)
        filter.add(
            "listing.status IN (\(databaseQuestionMarks(count: statuses.count)))",
            StatementArguments(statuses)
        )
        if !query.includesHidden { filter.add("NOT listing.hidden") }
        if let owner = query.owner { filter.add("listing.account_id = ?", [owner]) }
        if let species = query.species { filter.add("listing.species = ?", [species.rawValue]) }
        if let since = query.since { filter.add("listing.last_seen_at >= ?", [since.text]) }
        if let until = query.until { filter.add("listing.last_seen_at < ?", [until.text]) }
        addNames(to: &filter)
    }

    private func addNames(to filter: inout SQLFilter) {
        let inText = "listing.id IN (SELECT rowid FROM listing_text WHERE listing_text MATCH ?)"
        switch query.breed {
        case .key(let key): filter.add("listing.breed_key = ?", [key])
        case .text(let text): filter.add(inText, [SQLFilter.matchExpression(text, column: "breed")])
        case nil: break
        }
        if let text = query.text { filter.add(inText, [SQLFilter.matchExpression(text)]) }
        if !query.places.isEmpty {
            let names = query.places.sorted()
            filter.add(
                """
                listing.id IN (
                    SELECT listing_id FROM listing_place WHERE name IN (\(databaseQuestionMarks(count: names.count))))
                """,
                StatementArguments(names)
            )
        }
    }
}
