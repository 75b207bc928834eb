import Domain
import SQL
import SpatiaLite

/// Finds out in which town the streets and houses of an extract are: in the municipality whose boundary the extract
/// has, otherwise in the one that the gazetteer names.
final class MapTowns {
    private static let batch = 10_000

    private let db: SQLConnection
    private let place: (Coordinate) throws -> Place?
    /// The towns that were written, by their names and their area's.
    private var towns: [[String?]: Int64] = [:]
    /// The municipalities that were read last.
    private var areas: [Int64: Municipality] = [:]

    private struct Municipality {
        let name: String
        let rings: [[Coordinate]]
        /// That of its middle.
        let place: Place?
    }

    init(_ db: SQLConnection, place: @escaping (Coordinate) throws -> Place?) {
        self.db = db
        self.place = place
    }

    func assign(progress: (_ done: Int, _ total: Int) -> Void) throws {
        let tables = ["segment", "house"]
        let counts = try tables.map { try db.value("SELECT max(id) FROM temp.\($0)") ?? 0 }
        var done = 0
        for (table, count) in zip(tables, counts) {
            for start in stride(from: 0, to: count, by: Self.batch) {
                progress(done, counts.reduce(0, +))
                let points = try db.rows(
                    "SELECT id, lon, lat FROM temp.\(table) WHERE id > ? AND id <= ?",
                    [start, start + Self.batch]
                ) { row in (row.integer(0), Coordinate(lon: row.real(1), lat: row.real(2))) }
                for (id, point) in points {
                    guard let point else { continue }
                    let place = try place(point)
                    try db.execute(
                        "UPDATE temp.\(table) SET town = ?, locality = ? WHERE id = ?",
                        [try town(at: point, place), place?.locality?.folded, id]
                    )
                }
                done += points.count
            }
        }
    }

    private func town(at point: Coordinate, _ found: Place?) throws -> Int64? {
        let municipality = try municipality(at: point)
        // All of a municipality is in one province, although the gazetteer may doubt it at the boundary.
        let place = municipality.map(\.place) ?? found
        guard let name = municipality?.name ?? place?.comune ?? place?.locality else { return nil }
        let key = [name, place?.province, place?.country]
        if let known = towns[key] { return known }
        let words = [name, place?.comune, place?.province, place?.provinceCode, place?.region, place?.country]
        let town = try db.insert(
            "INSERT INTO town(name, words) VALUES (?, ?) RETURNING id",
            [name, Set(words.compactMap { $0?.folded }).sorted().joined(separator: " ")]
        )
        towns[key] = town
        return town
    }

    private func municipality(at point: Coordinate) throws -> Municipality? {
        let near: [Int64] = try db.values(
            "SELECT id FROM temp.municipality_index WHERE west <= ?1 AND east >= ?1 AND south <= ?2 AND north >= ?2",
            [point.lon, point.lat]
        )
        return try near.lazy.compactMap { try self.area($0) }.first { $0.rings.cover(point) }
    }

    private func area(_ id: Int64) throws -> Municipality? {
        if let known = areas[id] { return known }
        let area = try db.row("SELECT name, rings FROM temp.municipality WHERE id = ?", [id]) { row in
            let rings = CompressedBlob.lines(row.blob(1)) ?? []
            let middle = MapFeature.Geometry.area(rings).box?.middle
            return Municipality(name: try row[0], rings: rings, place: try middle.flatMap(self.place))
        }
        if areas.count >= 64 { areas = [:] }
        areas[id] = area
        return area
    }
}

extension [[Coordinate]] {
    /// Whether a point is inside, by counting the edges to the east of it.
    fileprivate func cover(_ point: Coordinate) -> Bool {
        var isInside = false
        for ring in self {
            for (start, end) in zip(ring, ring.dropFirst()) where (start.lat > point.lat) != (end.lat > point.lat) {
                let share = (point.lat - start.lat) / (end.lat - start.lat)
                if point.lon < start.lon + share * (end.lon - start.lon) { isInside.toggle() }
            }
        }
        return isInside
    }
}
