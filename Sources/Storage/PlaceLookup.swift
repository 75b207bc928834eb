package import Domain
import SpatiaLite

extension PlaceStore: PlaceSource {
    private static let columns = """
        place.id, place.geom, place.level, place.name, place.name_key, place.population, place.locality, place.comune, place.comune_code,
        place.province, place.province_code, place.region, place.country_code, place.postal_code
        """
    private static let live = "JOIN place_source ON place_source.id = place.source_id AND place_source.is_live"

    package func areas(at point: Coordinate) throws -> [ImportedPlace] {
        try database.readNow { db in
            let scan = try Scan(
                db,
                """
                SELECT \(Self.columns), place_area.geom
                FROM idx_place_area_geom AS box
                    JOIN place_area ON place_area.id = box.pkid
                    JOIN place ON place.id = place_area.place_id \(Self.live)
                WHERE box.xmin <= ?1 AND box.xmax >= ?1 AND box.ymin <= ?2 AND box.ymax >= ?2
                """,
                [.real(point.lon), .real(point.lat)]
            )
            var found: [(key: Int64, place: ImportedPlace)] = []
            while try scan.next() {
                guard let area = PolygonBlob(scan.row.blob(14)), area.covers(point),
                    let place = ImportedPlace(scan.row)
                else { continue }
                found.append((scan.integer(0), place))
            }
            // One that was imported later is newer; of two areas that share a border, one must be chosen.
            found.sort { ($0.place.level, -$0.key) < ($1.place.level, -$1.key) }
            return found.map(\.place)
        }
    }

    package func settlements(
        near point: Coordinate,
        within metres: Double,
        atMost limit: Int
    ) throws -> [ImportedPlace] {
        try database.readNow { db in
            var search = NearestSearch<Int64, ImportedPlace>(centre: point, radius: metres, limit: limit)
            var walk = try search.walk(db, table: "idx_place_geom", box: nil)
            let rows = try Scan(db, "SELECT \(Self.columns) FROM place \(Self.live) WHERE place.id = ?1")
            while let key = try walk.next() {
                try rows.restart(key)
                guard try rows.next(), let place = ImportedPlace(rows.row), place.level == .settlement else { continue }
                search.take(place.place.coordinate, key: key, from: &walk) { place }
            }
            return search.hits.map { hit in
                var found = hit.value
                found.place.distance = hit.distance
                return found
            }
        }
    }
}

extension PlaceStore {
    package func places(called name: String, atMost limit: Int) throws -> [ImportedPlace] {
        try find(
            "SELECT \(Self.columns) FROM place \(Self.live) WHERE place.name_key = ?1 LIMIT ?2",
            [.text(name), .integer(Int64(limit))]
        )
    }

    /// In the order in which they were imported: the most populous of a file stand first.
    package func places(
        bearing words: [[String]],
        isUnfinished: Bool,
        atMost limit: Int
    ) throws -> [ImportedPlace] {
        guard !words.isEmpty, words.allSatisfy({ !$0.isEmpty }) else { return [] }
        let terms = words.enumerated().map { position, spellings in
            let mark = isUnfinished && position == words.count - 1 ? "*" : ""
            return "(" + spellings.map { Self.quoted($0) + mark }.joined(separator: " OR ") + ")"
        }
        return try find(
            """
            SELECT \(Self.columns) FROM place_text JOIN place ON place.id = place_text.rowid \(Self.live)
            WHERE place_text MATCH ?1 ORDER BY place_text.rowid LIMIT ?2
            """,
            [.text(terms.joined(separator: " AND ")), .integer(Int64(limit))]
        )
    }

    package func places(withPostalCode digits: String, atMost limit: Int) throws -> [ImportedPlace] {
        try find(
            """
            SELECT \(Self.columns) FROM place \(Self.live)
            WHERE place.postal_code >= ?1 AND place.postal_code < ?2 LIMIT ?3
            """,
            [.text(digits), .text(Self.end(of: digits)), .integer(Int64(limit))]
        )
    }

    package func words(beginning start: String, _ visit: (UnsafeRawBufferPointer) -> Void) throws {
        try database.readNow { db in
            let scan = try Scan(
                db,
                "SELECT word FROM place_word WHERE word >= ?1 AND word < ?2",
                [.text(start), .text(Self.end(of: start))]
            )
            while try scan.next() { if let word = scan.row.text(0) { visit(UnsafeRawBufferPointer(word)) } }
        }
    }

    private func find(_ sql: String, _ values: [SQLValue]) throws -> [ImportedPlace] {
        try database.readNow { db in
            let scan = try Scan(db, sql, values)
            var found: [ImportedPlace] = []
            while try scan.next() { if let place = ImportedPlace(scan.row) { found.append(place) } }
            return found
        }
    }

    /// Comes after all texts that begin so.
    private static func end(of start: String) -> String { start + "\u{10FFFF}" }

    private static func quoted(_ word: String) -> String { "\"" + word.filter { $0 != "\"" } + "\"" }
}

extension ImportedPlace {
    /// Of the columns of `PlaceStore.columns`.
    fileprivate init?(_ row: RawRow) {
        guard let point = Coordinate(spatiaLiteBlob: row.blob(1)), let level = row.string(2).flatMap(Level.init),
            let name = row.string(3)
        else { return nil }
        var place = Place(coordinate: point)
        place.population = row.isNull(5) ? nil : Int(row.integer(5))
        place.locality = row.string(6)
        place.comune = row.string(7)
        place.comuneCode = row.string(8)
        place.province = row.string(9)
        place.provinceCode = row.string(10)
        place.region = row.string(11)
        place.countryCode = row.string(12)
        place.postalCode = row.string(13)
        self.init(level: level, name: name, key: row.string(4), place: place)
    }
}
