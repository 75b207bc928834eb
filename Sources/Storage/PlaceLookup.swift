package import Domain
import Foundation
import SpatiaLite

extension PlaceStore: PlaceSource {
    private static let columns = """
        place.id, place.lon, place.lat, place.level, place.name, place.name_key, place.population, place.locality, place.comune, place.comune_code,
        place.province, place.province_code, place.region, place.country_code, place.postal_code
        """
    /// Of a meridian, the shortest degree there is.
    private static let metresPerDegree = 110_574.0
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
            var found: [ImportedPlace.Level: (key: Int64, place: ImportedPlace)] = [:]
            while try scan.next() {
                guard let level = scan.row.string(3).flatMap(ImportedPlace.Level.init) else { continue }
                // What was imported later is newer; of two areas that share a border, one must be chosen.
                if let known = found[level], known.key >= scan.integer(0) { continue }
                guard let area = PolygonBlob(scan.row.blob(15)), area.covers(point),
                    let place = ImportedPlace(scan.row)
                else { continue }
                found[level] = (scan.integer(0), place)
            }
            return found.values.map(\.place).sorted { $0.level < $1.level }
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
                guard try rows.next(), let place = ImportedPlace(rows.row) else { continue }
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
            WHERE place.name_key = ?1 AND place.level = 'postal_code' AND place.country_code IS ?2
                AND place.lon BETWEEN ?3 AND ?4 AND place.lat BETWEEN ?5 AND ?6
            """,
            [
                .text(name), country.map(SQLValue.text) ?? .null, .real(point.lon - wide), .real(point.lon + wide),
                .real(point.lat - high), .real(point.lat + high),
            ]
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

    private static func quoted(_ word: String) -> String {
        "\"" + String(String.UnicodeScalarView(word.unicodeScalars.filter { !"\" \0".unicodeScalars.contains($0) }))
            + "\""
    }
}

extension ImportedPlace {
    /// Of the columns of `PlaceStore.columns`.
    fileprivate init?(_ row: RawRow) {
        guard let point = Coordinate(lon: row.real(1), lat: row.real(2)), let level = row.string(3).flatMap(Level.init),
            let name = row.string(4)
        else { return nil }
        var place = Place(coordinate: point)
        place.population = row.isNull(6) ? nil : Int(row.integer(6))
        place.locality = row.string(7)
        place.comune = row.string(8)
        place.comuneCode = row.string(9)
        place.province = row.string(10)
        place.provinceCode = row.string(11)
        place.region = row.string(12)
        place.countryCode = row.string(13)
        place.postalCode = row.string(14)
        self.init(level: level, name: name, key: row.string(5), place: place)
    }
}
