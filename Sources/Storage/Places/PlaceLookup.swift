package import Domain
import Foundation
import SQL

extension PlaceStore: PlaceSource {
    private static let columns = """
        place.id, place.lon, place.lat, place.level, place.name, place.name_key, place.population, place.locality, place.comune, place.comune_code,
        place.province, place.province_code, place.region, place.country_code, place.postal_code
        """
    /// The length of the shortest degree of latitude.
    private static let metresPerDegree = 110_574.0
    private static let live = "JOIN place_source ON place_source.id = place.source_id AND place_source.is_live"

    package func areas(at point: Coordinate) throws -> [ImportedPlace] {
        try database.readNow { db in
            let scan = try PreparedStatement(
                db,
                """
                SELECT \(Self.columns), place_area.geom
                FROM \(Self.areasAround(on: db.engine)) JOIN place ON place.id = place_area.place_id \(Self.live)
                """,
                [.real(point.lon), .real(point.lat)]
            )
            var found: [ImportedPlace.Level: (key: Int64, place: ImportedPlace)] = [:]
            while try scan.next() {
                guard let level = scan.row.string(3).flatMap(ImportedPlace.Level.init) else { continue }
                // Places that were imported later are newer. On a shared border, one of the areas must be chosen.
                if let known = found[level], known.key >= scan.integer(0) { continue }
                guard var place = ImportedPlace(scan.row) else { continue }
                let confidence: Double? = AreaGeometry.read(scan.row.blob(15), on: db.engine) { area in
                    guard area.covers(point) else { return nil }
                    return place.place.comune == nil ? 1 : area.outlineDistance(of: point)?.confidence ?? 1
                }
                guard let confidence else { continue }
                if place.place.comune != nil { place.place.confidence = confidence }
                found[level] = (scan.integer(0), place)
            }
            return found.values.map(\.place).sorted { $0.level < $1.level }
        }
    }

    /// The areas whose boxes contain a point (?1, ?2), as text behind `FROM`.
    private static func areasAround(on engine: SQLEngine) -> String {
        switch engine {
        case .spatiaLite:
            """
            (SELECT pkid FROM idx_place_area_geom WHERE xmin <= ?1 AND xmax >= ?1 AND ymin <= ?2 AND ymax >= ?2) AS box
                JOIN place_area ON place_area.id = box.pkid
            """
        case .postGIS:
            "(SELECT * FROM place_area WHERE geom && ST_SetSRID(ST_MakePoint(?1, ?2), 4326)) AS place_area"
        }
    }

    package func settlements(
        near point: Coordinate,
        within metres: Double,
        atMost limit: Int
    ) throws -> [ImportedPlace] {
        try database.readNow { db in
            let hits = try PointIndex(table: "place").nearest(
                PointIndex.Search(
                    centre: point,
                    radius: metres,
                    condition: "source_id IN (SELECT id FROM place_source WHERE is_live)",
                    limit: limit
                ),
                db
            )
            let rows = try PreparedStatement(db, "SELECT \(Self.columns) FROM place WHERE place.id = ?1")
            return try hits.compactMap { hit in
                try rows.restart(hit.key)
                guard try rows.next(), var found = ImportedPlace(rows.row) else { return nil }
                found.place.distance = hit.distance
                return found
            }
        }
    }
}

extension PlaceStore {
    package func places(called name: String, atMost limit: Int) throws -> [ImportedPlace] {
        try findInEach(
            "SELECT id AS key FROM place WHERE name_key = ?1 AND id BETWEEN ?2 AND ?3 ORDER BY id LIMIT ?4",
            name,
            atMost: limit
        )
    }

    package func postalCodes(
        called name: String,
        country: String?,
        near point: Coordinate,
        within metres: Double
    ) throws -> [ImportedPlace] {
        let high = metres / Self.metresPerDegree
        let wide = high / max(0.01, cos(point.lat * .pi / 180))
        return try find(
            """
            SELECT \(Self.columns) FROM place \(Self.live)
            WHERE place.name_key = ?1 AND place.level = 'postal_code' AND place.country_code IS NOT DISTINCT FROM ?2
                AND place.lon BETWEEN ?3 AND ?4 AND place.lat BETWEEN ?5 AND ?6
            """,
            [
                .text(name), country.sqlValue, .real(point.lon - wide), .real(point.lon + wide),
                .real(point.lat - high), .real(point.lat + high),
            ]
        )
    }

    package func places(
        bearing words: [[String]],
        isUnfinished: Bool,
        atMost limit: Int
    ) throws -> [ImportedPlace] {
        guard !words.isEmpty, words.allSatisfy({ !$0.isEmpty }) else { return [] }
        switch database.engine {
        case .spatiaLite:
            return try findInEach(
                """
                SELECT rowid AS key FROM place_text
                WHERE place_text MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ORDER BY rowid LIMIT ?4
                """,
                Self.match(words, isUnfinished),
                atMost: limit
            )
        case .postGIS:
            return try findInEach(
                """
                SELECT id AS key FROM place_text
                WHERE words @@ CAST(?1 AS tsquery) AND id BETWEEN ?2 AND ?3 ORDER BY id LIMIT ?4
                """,
                Self.tsquery(words, isUnfinished),
                atMost: limit
            )
        }
    }

    /// Returns an expression for FTS5: one spelling of each word. The last word may be a prefix.
    private static func match(_ words: [[String]], _ isUnfinished: Bool) -> String {
        joined(words, isUnfinished, mark: "*", " OR ", " AND ") { word in
            "\"" + String(word.filter { $0 != "\"" }) + "\""
        }
    }

    /// Returns the same as a `tsquery` of PostgreSQL.
    private static func tsquery(_ words: [[String]], _ isUnfinished: Bool) -> String {
        joined(words, isUnfinished, mark: ":*", " | ", " & ") {
            "'" + String($0.filter { $0 != "'" && $0 != "\\" }) + "'"
        }
    }

    private static func joined(
        _ words: [[String]],
        _ isUnfinished: Bool,
        mark: String,
        _ or: String,
        _ and: String,
        _ quote: (String.UnicodeScalarView) -> String
    ) -> String {
        words.enumerated().map { position, spellings in
            let mark = isUnfinished && position == words.count - 1 ? mark : ""
            let terms = spellings.map { word in
                quote(String.UnicodeScalarView(word.unicodeScalars.filter { $0 != " " && $0 != "\0" })) + mark
            }
            return "(" + terms.joined(separator: or) + ")"
        }.joined(separator: and)
    }

    package func places(withPostalCode code: String, atMost limit: Int) throws -> [ImportedPlace] {
        try find(
            """
            SELECT \(Self.columns) FROM json_each(?1) AS start
                CROSS JOIN place \(Self.live)
            WHERE place.postal_code >= start.value AND place.postal_code < start.value || ?2
            ORDER BY length(place.postal_code), place.postal_code, place.id LIMIT ?3
            """,
            [.text(Self.writings(ofCode: code)), .text(Self.last), .integer(Int64(limit))]
        )
    }

    /// Returns the spellings of a postal code as a JSON array: without a separator, and with a space or a hyphen at
    /// each position. Countries write the same code differently.
    private static func writings(ofCode code: String) -> String {
        let letters = Array(
            code.uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(maxCodeLength)
        )
        let divided = (1..<max(1, letters.count)).flatMap { place in
            [" ", "-"].map { String(letters[..<place]) + $0 + String(letters[place...]) }
        }
        return "[" + ([String(letters)] + divided).map { "\"\($0)\"" }.joined(separator: ",") + "]"
    }

    package func words(
        beginning start: String,
        lengths: ClosedRange<Int>,
        _ visit: (UnsafeRawBufferPointer) -> Void
    ) throws {
        try database.readNow { db in
            let scan = try PreparedStatement(
                db,
                "SELECT word FROM place_word WHERE word >= ?1 AND word < ?2 AND length(word) BETWEEN ?3 AND ?4",
                [
                    .text(start), .text(start + Self.last), .integer(Int64(lengths.lowerBound)),
                    .integer(Int64(lengths.upperBound)),
                ]
            )
            while try scan.next() { if let word = scan.row.text(0) { visit(UnsafeRawBufferPointer(word)) } }
        }
    }

    /// A prefix followed by this character sorts after all texts that begin with the prefix.
    private static let last = "\u{10FFFF}"
    private static let maxCodeLength = 10
    /// The maximum number of rows to read from a source that is not sorted. Sources of settlements are sorted by
    /// population, largest first.
    private static let maxUnsorted = 500
    private static let minShare = 20

    /// Returns the most populous places of each source, so that no source is hidden by one that was imported earlier.
    ///
    /// - Parameter keys: a query for at most ?4 keys of places for a text (?1), in the range ?2 to ?3.
    private func findInEach(_ keys: String, _ text: String, atMost limit: Int) throws -> [ImportedPlace] {
        try database.readNow { db in
            let sources = try Self.sources(db)
            let share = min(limit, max(Self.minShare, 2 * limit / max(1, sources.count)))
            return try sources.flatMap { source in
                let scan = try PreparedStatement(
                    db,
                    """
                    SELECT \(Self.columns) FROM (\(keys)) AS found CROSS JOIN place
                    WHERE place.id = key AND place.source_id = ?5
                    ORDER BY place.population DESC NULLS LAST, length(place.name_key), place.id LIMIT ?6
                    """,
                    [
                        .text(text), .integer(source.keys.lowerBound), .integer(source.keys.upperBound),
                        .integer(Int64(source.isSorted ? share : Self.maxUnsorted)), .integer(source.id),
                        .integer(Int64(share)),
                    ]
                )
                return try Self.places(scan)
            }
        }
    }

    private struct LiveSource {
        let id: Int64
        let keys: ClosedRange<Int64>
        let isSorted: Bool
    }

    private static func sources(_ db: SQLConnection) throws -> [LiveSource] {
        let scan = try PreparedStatement(
            db,
            """
            SELECT id, kind = 'settlements', (SELECT min(place.id) FROM place WHERE source_id = place_source.id),
                (SELECT max(place.id) FROM place WHERE source_id = place_source.id)
            FROM place_source WHERE is_live ORDER BY id
            """
        )
        var found: [LiveSource] = []
        while try scan.next() {
            // A source that is being removed may have no places any more.
            guard !scan.isNull(2) else { continue }
            let keys = scan.integer(2)...scan.integer(3)
            found.append(LiveSource(id: scan.integer(0), keys: keys, isSorted: scan.integer(1) != 0))
        }
        return found
    }

    private func find(_ sql: String, _ values: [SQLValue]) throws -> [ImportedPlace] {
        try database.readNow { db in try Self.places(PreparedStatement(db, sql, values)) }
    }

    private static func places(_ scan: borrowing PreparedStatement) throws -> [ImportedPlace] {
        var found: [ImportedPlace] = []
        while try scan.next() { if let place = ImportedPlace(scan.row) { found.append(place) } }
        return found
    }
}

extension ImportedPlace {
    /// Reads the columns of `PlaceStore.columns`.
    fileprivate init?(_ row: StatementRow) {
        guard let point = Coordinate(lon: row.real(1), lat: row.real(2)), let level = row.string(3).flatMap(Level.init),
            let name = row.string(4)
        else { return nil }
        var place = Place(coordinate: point)
        place.population = row.isNull(6) ? nil : Int(row.integer(6))
        (place.locality, place.comune, place.comuneCode) = (row.string(7), row.string(8), row.string(9))
        (place.province, place.provinceCode, place.region) = (row.string(10), row.string(11), row.string(12))
        (place.countryCode, place.postalCode) = (row.string(13), row.string(14))
        self.init(level: level, name: name, key: row.string(5), place: place)
    }
}
