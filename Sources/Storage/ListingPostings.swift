import Domain
import GRDB
import SpatiaLite

/// A listing that may be what is looked for, and where it stands.
struct Candidate {
    let key: Int64
    let point: Coordinate
}

/// Lists of listings that have something in common, by place and by time: what a selective search starts from.
protocol ListingPostings {
    /// Whether what they have in common is all that the query asks for, but for its space.
    var isSufficient: Bool { get }

    /// Those in the cells, everywhere for nil, in any order and perhaps twice. Fewer than `limit` are all.
    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate]

    /// Calls back in order of time from behind `after` on, until told to stop.
    func inOrder(
        descending: Bool,
        after: Int64?,
        in cover: CellCover?,
        _ body: (Int64) throws -> Bool
    ) throws
}

/// The lists of some facets, all statuses of one name together.
struct FacetPostings: ListingPostings {
    private let db: Database
    private let facets: [Int64]
    let isSufficient: Bool

    /// - Parameter suffixes: as `listing_facet_name` writes them behind the status, empty for the status alone.
    init(_ db: Database, _ query: ListingQuery, suffixes: [String]) throws {
        self.db = db
        isSufficient = query.conditions == (suffixes == [""] ? 0 : 1)
        var facets: [Int64] = []
        for status in query.statuses {
            for prefix in query.includesHidden ? ["", "hidden "] : [""] {
                for suffix in suffixes {
                    let name = prefix + status.rawValue + (suffix.isEmpty ? "" : " " + suffix)
                    let scan = try Scan(db, "SELECT id FROM facet WHERE name = ?", [.text(name)])
                    if try scan.next() { facets.append(scan.integer(0)) }
                }
            }
        }
        self.facets = facets
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        var found: [Candidate] = []
        let ranges = cover?.zones ?? [0...Int64.max]
        for facet in facets {
            for zones in ranges {
                let scan = try Scan(
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

    func inOrder(descending: Bool, after: Int64?, in cover: CellCover?, _ body: (Int64) throws -> Bool) throws {
        let zones = cover?.zones
        var merge = TimeMerge(descending: descending)
        for (slot, facet) in facets.enumerated() {
            try merge.add(
                Scan(
                    db,
                    """
                    SELECT listing_id, zone FROM listing_facet
                    WHERE facet_id = ? AND listing_id \(descending ? "<" : ">") ?
                    ORDER BY listing_id \(descending ? "DESC" : "ASC")
                    """,
                    [.integer(facet), .integer(after ?? (descending ? .max : .min))],
                    slot: slot
                )
            )
        }
        while let head = merge.head {
            let zone = merge.row.integer(1)
            let isNear = zones?.contains { $0.contains(zone) } ?? true
            if isNear, try !body(head) { return }
            try merge.advance()
        }
    }
}

/// Listings that hold words, from the text index, which knows the cells too.
struct TextPostings: ListingPostings {
    private let db: Database
    private let tables: [String]
    private let words: String
    let isSufficient = false

    init?(_ db: Database, _ query: ListingQuery) {
        self.db = db
        var parts: [String] = []
        if let text = query.text, let words = Self.expression(text) { parts.append("- cells : (\(words))") }
        if case .text(let text) = query.breed, let words = Self.expression(text) { parts.append("breed : (\(words))") }
        guard !parts.isEmpty else { return nil }
        words = parts.joined(separator: " AND ")
        let isOpen = query.statuses.contains { $0.isOpen }
        let isArchived = query.includesHidden || query.statuses.contains { !$0.isOpen }
        tables = (isOpen ? ["board_text"] : []) + (isArchived ? ["archive_text"] : [])
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        var found: [Candidate] = []
        for table in tables {
            let source = table == "board_text" ? "board.lon, board.lat" : "ST_X(listing.geom), ST_Y(listing.geom)"
            let rows = table == "board_text" ? "board" : "listing"
            let scan = try Scan(
                db,
                """
                SELECT \(table).rowid, \(source) FROM \(table) CROSS JOIN \(rows) ON \(rows).id = \(table).rowid
                WHERE \(table) MATCH ?
                """,
                [.text(expression(cover))]
            )
            guard try scan.collect(into: &found, upTo: limit) else { return found }
        }
        return found
    }

    func inOrder(descending: Bool, after: Int64?, in cover: CellCover?, _ body: (Int64) throws -> Bool) throws {
        var merge = TimeMerge(descending: descending)
        for table in tables {
            try merge.add(
                Scan(
                    db,
                    """
                    SELECT rowid FROM \(table) WHERE \(table) MATCH ? AND rowid \(descending ? "<" : ">") ?
                    ORDER BY rowid \(descending ? "DESC" : "ASC")
                    """,
                    [.text(expression(cover)), .integer(after ?? (descending ? .max : .min))]
                )
            )
        }
        while let head = merge.head {
            if try !body(head) { return }
            try merge.advance()
        }
    }

    private func expression(_ cover: CellCover?) -> String {
        guard let cover else { return words }
        return "\(words) AND cells : (\(cover.cells.map { "cells\($0.number)" }.joined(separator: " OR ")))"
    }

    /// Every word by its first letters, as many as there is an index of beginnings for: three or five. `ListingCheck`
    /// looks at the rest. Nil where there is no word.
    private static func expression(_ text: String) -> String? {
        let words = text.split(separator: " ").map { word in
            let letters = word.unicodeScalars.count
            guard letters >= 3 else { return "\"\(word)\"" }
            return "\"\(String(String.UnicodeScalarView(word.unicodeScalars.prefix(letters < 5 ? 3 : 5))))\"*"
        }
        return words.isEmpty ? nil : words.joined(separator: " AND ")
    }
}

/// The listings of one account.
struct OwnerPostings: ListingPostings {
    private let db: Database
    private let owner: Int64
    let isSufficient = false

    init(_ db: Database, _ query: ListingQuery) {
        self.db = db
        owner = query.owner ?? 0
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        let scan = try Scan(
            db,
            "SELECT id, ST_X(geom), ST_Y(geom) FROM listing WHERE account_id = ?",
            [.integer(owner)]
        )
        var found: [Candidate] = []
        _ = try scan.collect(into: &found, upTo: limit)
        return found
    }

    func inOrder(descending: Bool, after: Int64?, in cover: CellCover?, _ body: (Int64) throws -> Bool) throws {
        let scan = try Scan(
            db,
            """
            SELECT id FROM listing WHERE account_id = ? AND id \(descending ? "<" : ">") ?
            ORDER BY id \(descending ? "DESC" : "ASC")
            """,
            [.integer(owner), .integer(after ?? (descending ? .max : .min))]
        )
        while try scan.next(), try body(scan.integer(0)) {}
    }
}

/// Open listings by the time they were seen.
struct SeenPostings: ListingPostings {
    private let db: Database
    private let query: ListingQuery
    let isSufficient = true

    init(_ db: Database, _ query: ListingQuery) {
        self.db = db
        self.query = query
    }

    func candidates(in cover: CellCover?, limit: Int) throws -> [Candidate] {
        let statuses = query.statuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let species = query.species.map { "AND species = '\($0.rawValue)'" } ?? ""
        let scan = try Scan(
            db,
            """
            SELECT id, lon, lat FROM board INDEXED BY board_seen
            WHERE last_seen_at >= ? AND last_seen_at < ? AND status IN (\(statuses)) \(species)
            """,
            [.text(query.since?.text ?? ""), .text(query.until?.text ?? "~")]
        )
        var found: [Candidate] = []
        _ = try scan.collect(into: &found, upTo: limit)
        return found
    }

    func inOrder(descending: Bool, after: Int64?, in cover: CellCover?, _ body: (Int64) throws -> Bool) throws {
        let keys = try candidates(in: cover, limit: .max).map(\.key)
        for key in keys.sorted(by: descending ? (>) : (<)) where try !body(key) { return }
    }
}

extension Scan {
    /// Reads rows of key, longitude and latitude; false where the limit was reached.
    fileprivate borrowing func collect(into found: inout [Candidate], upTo limit: Int) throws -> Bool {
        while try next() {
            guard found.count < limit else { return false }
            if let point = Coordinate(lon: real(1), lat: real(2)) {
                found.append(Candidate(key: integer(0), point: point))
            }
        }
        return true
    }
}
