import Domain
import SQL

/// A list of listings with a common property, readable by place. Selective searches start from such lists.
protocol ListingCandidates {
    /// Whether the common property is the only condition of the query apart from its area.
    var isSufficient: Bool { get }

    /// Returns the candidates in the cells, or all candidates if `cover` is nil, in any order and possibly with
    /// duplicates. The result is complete if it has fewer than `limit` elements.
    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate]
}

extension ListingCandidates {
    /// Returns the candidates in a cell; nil if there are as many as the limit or more.
    func all(in cell: Cell, limit: Int) throws -> [Candidate]? {
        let found = try candidates(in: CellCover(cell), limit: limit)
        return found.count < limit ? found : nil
    }
}

/// A list that can also be read in the order of time, so that a page needs only the beginning of it.
protocol TimeOrderedCandidates: ListingCandidates {
    /// Returns rows of key and zone after the key `after`. A row whose zone is NULL counts as being within the cells.
    func byTime(descending: Bool, after: Int64?, in cover: CellCover?) throws -> MergedCursor
}

/// The lists of one or several facets, for all statuses of the query.
struct FacetCandidates: TimeOrderedCandidates {
    private let db: SQLConnection
    private let facets: [Int64]
    let isSufficient: Bool

    /// - Parameter suffixes: the part of the facet name after the status, as `listing_facet_name` writes it; empty for
    ///   the status alone.
    init(_ db: SQLConnection, _ query: ListingQuery, suffixes: [String]) throws {
        self.db = db
        isSufficient = query.conditions == (suffixes == [""] ? 0 : 1) && query.clauses.count < 2
        facets = try query.facets(suffixes, db)
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        var found: [Candidate] = []
        let ranges = cover?.zones ?? [0...Int64.max]
        for facet in facets {
            for zones in ranges {
                let scan = try PreparedStatement(
                    db,
                    """
                    SELECT listing_id, lon, lat FROM listing_facet WHERE facet_id = ? AND zone BETWEEN ? AND ?
                    """,
                    [.integer(facet), .integer(zones.lowerBound), .integer(zones.upperBound)]
                )
                guard try scan.collect(into: &found, upTo: limit) else { return found }
            }
        }
        return found
    }

    func byTime(descending: Bool, after: Int64?, in cover: CellCover?) throws -> MergedCursor {
        var merge = MergedCursor(descending: descending)
        for facet in facets {
            try merge.add(
                PreparedStatement(
                    db,
                    """
                    SELECT listing_id, zone FROM listing_facet
                    WHERE facet_id = ? AND listing_id \(descending ? "<" : ">") ?
                    ORDER BY listing_id \(descending ? "DESC" : "ASC")
                    """,
                    [.integer(facet), .integer(after ?? (descending ? .max : .min))]
                )
            )
        }
        return merge
    }
}

extension ListingQuery {
    /// Returns the ids of the facets for all statuses of the query.
    fileprivate func facets(_ suffixes: [String], _ db: SQLConnection) throws -> [Int64] {
        try facetNames(suffixes).flatMap { try db.values("SELECT id FROM facet WHERE name = ?", [$0]) }
    }
}

/// Listings that fulfil the clauses of a query, from the text index. The index contains words, stems, and the facets and cells
/// of the listings as tags.
struct TextCandidates: TimeOrderedCandidates {
    private let db: SQLConnection
    private let tables: [String]
    private let words: String
    /// The same condition with the complete words. It finds fewer wrong candidates, but FTS5 reads all matches of a
    /// prefix that has another length than its prefix indexes before it returns the first one.
    private let completeWords: String
    let isSufficient = false

    /// Returns nil if the query has neither clauses nor words of a breed. Conditions on breed, place and species are added as tags of the
    /// index.
    init?(_ db: SQLConnection, _ query: ListingQuery) {
        self.db = db
        guard let words = Self.condition(query, isComplete: false) else { return nil }
        self.words = words
        completeWords = Self.condition(query, isComplete: true) ?? words
        let isOpen = query.statuses.contains { $0.isOpen }
        let isArchived = query.includesHidden || query.statuses.contains { !$0.isOpen }
        tables = (isOpen ? ["board_text"] : []) + (isArchived ? ["archive_text"] : [])
    }

    private init(_ db: SQLConnection, _ tables: [String], _ words: String) {
        self.db = db
        self.tables = tables
        self.words = words
        completeWords = words
    }

    /// The candidates with the complete words; nil if these are the same.
    var complete: TextCandidates? { words == completeWords ? nil : TextCandidates(db, tables, completeWords) }

    private static func condition(_ query: ListingQuery, isComplete: Bool) -> String? {
        var parts: [String] = []
        if let text = query.breed?.text, !text.isEmpty {
            let words = SearchWord.all(text).map { expression($0, isComplete, withStem: false) }
            parts.append("breed : (\(words.joined(separator: " AND ")))")
        }
        parts += query.clauses.map { expression($0, isComplete) }
        guard !parts.isEmpty else { return nil }
        parts += query.facetSuffixes.map { tags($0.map(\.tag)) }
        let all = parts.joined(separator: " AND ")
        guard !query.exceptClauses.isEmpty else { return all }
        let excluded = query.exceptClauses.map { expression($0, isComplete) }
        return "((\(all)) NOT (\(excluded.joined(separator: " AND "))))"
    }

    private static func expression(_ clause: SearchClause, _ isComplete: Bool) -> String {
        let phrases = clause.words.map { words in
            "(\(words.map { expression($0, isComplete, withStem: true) }.joined(separator: " AND ")))"
        }
        var parts = phrases.isEmpty ? [] : ["- tags : (\(phrases.joined(separator: " OR ")))"]
        if !clause.facets.isEmpty || parts.isEmpty { parts.append(tags(clause.facets.sorted().map(\.tag))) }
        return "(\(parts.joined(separator: " OR ")))"
    }

    /// Returns the expression of listings that have one of the tags. FTS5 does not accept an empty list.
    private static func tags(_ tags: [String]) -> String {
        "tags : (\(tags.isEmpty ? "nowhere" : tags.joined(separator: " OR ")))"
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        var found: [Candidate] = []
        for table in tables {
            let source = Self.points(of: "\(table).rowid", table)
            let scan = try PreparedStatement(
                db,
                """
                SELECT \(table).rowid, \(source.columns) FROM \(table) CROSS JOIN \(source.rows)
                WHERE \(table) MATCH ? ORDER BY \(table).rowid DESC
                """,
                [.text(expression(cover))]
            )
            guard try scan.collect(into: &found, upTo: limit) else { return found }
        }
        return found
    }

    /// Returns the table that has the points of a text index's rows.
    private static func points(of key: String, _ table: String) -> (columns: String, rows: String) {
        table == "board_text"
            ? ("board.lon, board.lat", "board ON board.id BETWEEN \(key) << 4 AND (\(key) << 4) | 15")
            : ("ST_X(listing.geom), ST_Y(listing.geom)", "listing ON listing.id = \(key)")
    }

    /// Returns all candidates; nil if there are as many as `few` or more. The points are read behind the keys: those of
    /// longer lists, which cost more than the words, are not read at all.
    func all(few: Int) throws -> [Candidate]? {
        var found: [Candidate] = []
        for table in tables {
            guard let keys = try keys(table, few: few - found.count) else { return nil }
            let source = Self.points(of: "CAST(wanted.value AS INTEGER)", table)
            let scan = try PreparedStatement(
                db,
                """
                SELECT CAST(wanted.value AS INTEGER), \(source.columns) FROM json_each(?) AS wanted CROSS JOIN \(source.rows)
                """,
                [.text("[\(keys.map(String.init).joined(separator: ","))]")]
            )
            _ = try scan.collect(into: &found, upTo: .max)
        }
        return found
    }

    /// Returns nil if there are as many as `few` or more.
    private func keys(_ table: String, few: Int) throws -> [Int64]? {
        let scan = try PreparedStatement(
            db,
            "SELECT rowid FROM \(table) WHERE \(table) MATCH ? LIMIT ?",
            [.text(expression(nil)), .integer(Int64(few))]
        )
        var keys: [Int64] = []
        while try scan.next() { keys.append(scan.integer(0)) }
        return keys.count < few ? keys : nil
    }

    func byTime(descending: Bool, after: Int64?, in cover: CellCover?) throws -> MergedCursor {
        var merge = MergedCursor(descending: descending)
        for table in tables {
            try merge.add(
                PreparedStatement(
                    db,
                    """
                    SELECT rowid, NULL FROM \(table) WHERE \(table) MATCH ? AND rowid \(descending ? "<" : ">") ?
                    ORDER BY rowid \(descending ? "DESC" : "ASC")
                    """,
                    [.text(expression(cover)), .integer(after ?? (descending ? .max : .min))]
                )
            )
        }
        return merge
    }

    private func expression(_ cover: CellCover?) -> String {
        guard let cover else { return words }
        // The area can be empty, for example if the circle is outside the box.
        return "\(words) AND \(Self.tags(cover.cells.map { "cells\($0.number)" }))"
    }

    /// Returns an FTS5 expression with a prefix of the word: three or five characters, the lengths for which the index has
    /// prefix indexes, or the complete word. `ListingMatcher` compares the complete words. A text has a stem as a word, or
    /// in the column of stems.
    private static func expression(_ word: SearchWord, _ isComplete: Bool, withStem: Bool) -> String {
        guard word.isBeginning else { return "\"\(word.text)\"" }
        let scalars = word.text.unicodeScalars
        let prefix = isComplete ? word.text : word.text.beginning(scalars.count < 5 ? 3 : 5)
        guard withStem, let stem = word.stem, !stem.hasPrefix(prefix) else { return "\"\(prefix)\"*" }
        return "(\"\(prefix)\"* OR \"\(stem)\")"
    }
}

extension String {
    /// The tag of a facet in the text indexes.
    var tag: String {
        utf8.reduce(into: "facet") { $0 += String($1 >> 4, radix: 16) + String($1 & 15, radix: 16) }
    }
}

/// The listings of one account.
struct OwnerCandidates: TimeOrderedCandidates {
    private let db: SQLConnection
    private let owner: Int64
    let isSufficient = false

    init(_ db: SQLConnection, _ query: ListingQuery) {
        self.db = db
        owner = query.owner ?? 0
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        let scan = try PreparedStatement(
            db,
            "SELECT id, ST_X(geom), ST_Y(geom) FROM listing WHERE account_id = ?",
            [.integer(owner)]
        )
        var found: [Candidate] = []
        _ = try scan.collect(into: &found, upTo: limit)
        return found
    }

    /// Ignores `cover`: the listing's own row gives its position.
    func byTime(descending: Bool, after: Int64?, in cover: CellCover?) throws -> MergedCursor {
        var merge = MergedCursor(descending: descending)
        try merge.add(
            PreparedStatement(
                db,
                """
                SELECT id, NULL FROM listing WHERE account_id = ? AND id \(descending ? "<" : ">") ?
                ORDER BY id \(descending ? "DESC" : "ASC")
                """,
                [.integer(owner), .integer(after ?? (descending ? .max : .min))]
            )
        )
        return merge
    }
}

/// Listings by the time of the last sighting: open ones from `board_seen`, closed ones from `listing_archive_seen`.
struct LastSeenCandidates: ListingCandidates {
    private let db: SQLConnection
    private let query: ListingQuery
    private let time: SearchTime?
    let isSufficient: Bool

    /// Returns nil if the query includes hidden listings or has no time range.
    init?(_ db: SQLConnection, _ query: ListingQuery, _ time: SearchTime? = nil) {
        guard query.hasWindow, !query.includesHidden else { return nil }
        self.db = db
        (self.query, self.time) = (query, time)
        isSufficient = query.conditions == (query.species == nil ? 1 : 2)
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        var (open, closed) = (query, query)
        open.statuses.removeAll { !$0.isOpen }
        closed.statuses.removeAll(where: \.isOpen)
        var found: [Candidate] = []
        for (part, source) in [
            (open, "SELECT id >> 4, lon, lat FROM board INDEXED BY board_seen WHERE \(open.kindCondition)"),
            (
                closed,
                """
                SELECT id, ST_X(geom), ST_Y(geom) FROM listing INDEXED BY listing_archive_seen
                WHERE status IN ('reunited', 'closed') AND hidden = 0 AND \(closed.kindCondition)
                """
            ),
        ] where !part.statuses.isEmpty {
            let scan = try PreparedStatement(
                db,
                "\(source) AND last_seen_at >= ? AND last_seen_at < ?",
                [.text(query.since?.text ?? ""), .text(query.until?.text ?? "~")]
            )
            guard try scan.collect(into: &found, upTo: limit, time) else { break }
        }
        return found
    }
}

extension PreparedStatement {
    /// Appends rows of key, longitude and latitude. Returns false if the limit was reached.
    borrowing func collect(into found: inout [Candidate], upTo limit: Int, _ time: SearchTime? = nil) throws -> Bool {
        while try next() {
            if found.count.isMultiple(of: 1024) { try time?.throwIfTooLong() }
            guard found.count < limit else { return false }
            if let point = Coordinate(lon: real(1), lat: real(2)) {
                found.append(Candidate(key: integer(0), point: point))
            }
        }
        return true
    }
}
