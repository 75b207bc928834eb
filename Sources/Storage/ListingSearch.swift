import Domain
import GRDB
import SpatiaLite

/// Turns a query into SQL, and its rows into a page.
///
/// Three plans, chosen by counting a little first, so that no shape of question reads the whole board:
/// - few rows bear the names asked for (breed, place, words, a species but dogs): these are read and measured;
/// - nearest first: the R*Tree is walked from the centre outwards;
/// - by time: of few rows in the space the newest are sorted out, of many the index by time is walked.
struct ListingSearch {
    let query: ListingQuery

    /// Up to here reading all of them costs less than a walk that finds few.
    private static let few = 1000

    func run(_ db: Database) throws -> ListingPage {
        let isNamed = try namesFew(db)
        if query.order == .distance, let circle = query.circle {
            return try nearest(db, circle, walksTree: !isNamed)
        }
        return try byTime(db, isNamed: isNamed)
    }

    private func nearest(_ db: Database, _ circle: ListingQuery.Circle, walksTree: Bool) throws -> ListingPage {
        let after = query.cursor.flatMap { cursor in Double(cursor.value).map { (distance: $0, key: cursor.key) } }
        var search = NearestSearch<Int64, Listing>(
            centre: circle.centre,
            radius: circle.radius,
            limit: query.limit + 1,
            after: after
        )
        var filter = SQLFilter()
        if walksTree {
            filter.add("tree.pkid MATCH nearest(?, ?, ?, ?)", search.treeArguments)
            addBox(to: &filter, column: "tree.pkid")
        }
        addConditions(to: &filter, isNamed: !walksTree)
        // CROSS JOIN keeps the tree outermost: its order is the answer's.
        let source =
            walksTree ? "idx_listing_geom AS tree CROSS JOIN listing ON listing.id = tree.pkid" : "listing"
        let statement = try db.cachedStatement(
            sql: "SELECT \(Listing.columns) FROM \(source) WHERE \(filter.sql)"
        )
        let rows = try Row.fetchCursor(statement, arguments: filter.arguments)
        while let row = try rows.next() {
            let point = try row.point()
            guard query.box?.contains(point) ?? true else { continue }
            let goesOn = try search.take(point, key: row[0], value: { try Listing(row) })
            // Without the tree the rows come in any order.
            guard goesOn || !walksTree else { break }
        }
        let entries = search.hits.map { ListingPage.Entry(listing: $0.value, distance: $0.distance) }
        return page(entries) { String($0.distance ?? 0) }
    }

    private func byTime(_ db: Database, isNamed: Bool) throws -> ListingPage {
        let descending = query.order == .newest
        var filter = SQLFilter()
        let space = spaceFilter()
        let isSmall = try !isNamed && !space.sql.isEmpty && fewer(db, "idx_listing_geom WHERE \(space.sql)", space)
        if isSmall {
            filter.add("listing.id IN (SELECT pkid FROM idx_listing_geom WHERE \(space.sql))", space.arguments)
        }
        addConditions(to: &filter, isNamed: isNamed)
        if let cursor = query.cursor {
            filter.add("(listing.created_at, listing.id) \(descending ? "<" : ">") (?, ?)", [cursor.value, cursor.key])
        }
        // A sign before the column keeps SQLite from walking the index by time.
        let column = (isNamed || isSmall ? "+" : "") + "listing.created_at"
        let direction = descending ? "DESC" : "ASC"
        let statement = try db.cachedStatement(
            sql: """
                SELECT \(Listing.columns) FROM listing
                WHERE \(filter.sql)
                ORDER BY \(column) \(direction), listing.id \(direction)
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

    /// Whether few listings of any status bear the names asked for; false where none is asked for.
    private func namesFew(_ db: Database) throws -> Bool {
        var filter = SQLFilter()
        addNames(to: &filter, isNamed: true)
        return try !filter.sql.isEmpty && fewer(db, "listing WHERE \(filter.sql)", filter)
    }

    private func fewer(_ db: Database, _ source: String, _ filter: SQLFilter) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT count(*) FROM (SELECT 1 FROM \(source) LIMIT \(Self.few + 1))"
        )
        return try Int.fetchOne(statement, arguments: filter.arguments) ?? 0 <= Self.few
    }

    /// One row more than the limit was looked for: it tells whether there is a next page.
    private func page(_ entries: [ListingPage.Entry], value: (ListingPage.Entry) -> String) -> ListingPage {
        guard entries.count > query.limit else { return ListingPage(entries: entries, next: nil) }
        let kept = Array(entries.prefix(query.limit))
        let next = kept.last.map { ListingQuery.Cursor(order: query.order, value: value($0), key: $0.listing.key) }
        return ListingPage(entries: kept, next: next)
    }

    private func spaceFilter() -> SQLFilter {
        var tree = SQLFilter()
        if let circle = query.circle, circle.radius != nil {
            let search = NearestSearch<Int64, Listing>(centre: circle.centre, radius: circle.radius, limit: 0)
            tree.add("pkid MATCH nearest(?, ?, ?, ?)", search.treeArguments)
        }
        addBox(to: &tree, column: "pkid")
        return tree
    }

    private func addBox(to filter: inout SQLFilter, column: String) {
        guard let box = query.box else { return }
        filter.add(
            "\(column) MATCH in_box(?, ?, ?, ?)",
            [box.southWest.lon, box.southWest.lat, box.northEast.lon, box.northEast.lat]
        )
    }

    private func addConditions(to filter: inout SQLFilter, isNamed: Bool) {
        let statuses = query.statuses.map(\.rawValue)
        filter.add(
            "listing.status IN (\(databaseQuestionMarks(count: statuses.count)))",
            StatementArguments(statuses)
        )
        if !query.includesHidden { filter.add("NOT listing.hidden") }
        if let owner = query.owner { filter.add("listing.account_id = ?", [owner]) }
        if query.species == .dog { filter.add("listing.species = 'dog'") }
        if let since = query.since { filter.add("listing.last_seen_at >= ?", [since.text]) }
        if let until = query.until { filter.add("listing.last_seen_at < ?", [until.text]) }
        addNames(to: &filter, isNamed: isNamed)
    }

    /// - Parameter isNamed: the names lead to the rows; else each row is asked for its names.
    private func addNames(to filter: inout SQLFilter, isNamed: Bool) {
        let inText = "listing.id IN (SELECT rowid FROM listing_text WHERE listing_text MATCH ?)"
        if let species = query.species, species != .dog {
            filter.add("listing.species <> 'dog' AND listing.species = ?", [species.rawValue])
        }
        switch query.breed {
        case .key(let key): filter.add("listing.breed_key = ?", [key])
        case .text(let text): filter.add(inText, [SQLFilter.matchExpression(text, column: "breed")])
        case nil: break
        }
        if let text = query.text { filter.add(inText, [SQLFilter.matchExpression(text)]) }
        guard !query.places.isEmpty else { return }
        let names = query.places.sorted()
        let isOne = "listing_place.name IN (\(databaseQuestionMarks(count: names.count)))"
        filter.add(
            isNamed
                ? "listing.id IN (SELECT listing_id FROM listing_place WHERE \(isOne))"
                : "EXISTS (SELECT 1 FROM listing_place WHERE listing_id = listing.id AND \(isOne))",
            StatementArguments(names)
        )
    }
}
