package import Domain
package import Foundation
import SQL
import SpatiaLite
import Synchronization

/// One extract of OpenStreetMap as tables: what the map draws, and where streets and houses are.
///
/// Reads can be made on any thread; they take turns.
package final class MapDatabase: Sendable {
    private let connection: Mutex<SQLiteConnection>
    /// The box around everything in the extract; nil if it is empty.
    package let extent: BoundingBox?

    /// Throws if the file is not a map database of this version.
    package init(_ file: URL) throws {
        let connection = try SQLiteConnection(file.path, isReadOnly: true)
        let db = SQLConnection(connection)
        // Nobody writes to the file, so that it needs no new lock for each statement.
        try db.run(script: "PRAGMA mmap_size = \(2 << 30); PRAGMA cache_size = -8192; PRAGMA locking_mode = EXCLUSIVE")
        guard try db.value("PRAGMA user_version") == MapDatabaseSchema.version else { throw OtherVersion() }
        extent =
            try db.row("SELECT west, south, east, north FROM extract WHERE west IS NOT NULL") { row in
                BoundingBox(west: row.real(0), south: row.real(1), east: row.real(2), north: row.real(3))
            } ?? nil
        self.connection = Mutex(connection)
    }

    private struct OtherVersion: Error {}

    /// A line, or the rings of an area, or a point.
    package struct Shape: Sendable {
        package let kind: MapFeature.Kind
        package let name: String?
        package let lines: [[Coordinate]]
    }

    /// Returns what is shown at a zoom level and meets a box, in the order of drawing.
    package func shapes(in box: BoundingBox, zoom: Int) throws -> [Shape] {
        let shapes = try shapes("feature_index", in: box, zoom: zoom)
        return shapes.enumerated().sorted { first, second in
            let (one, other) = (first.element.kind.order, second.element.kind.order)
            return one != other ? one < other : first.offset < second.offset
        }.map(\.element)
    }

    /// Returns the coastlines in a box, which have the land on their left.
    package func coast(in box: BoundingBox, zoom: Int) throws -> [[Coordinate]] {
        try shapes("coast_index", in: box, zoom: zoom).flatMap(\.lines)
    }

    private func shapes(_ index: StaticString, in box: BoundingBox, zoom: Int) throws -> [Shape] {
        var shapes: [Shape] = []
        try read { db in
            try db.forEachRow(
                """
                SELECT kind, name, geometry FROM feature WHERE id IN (
                    SELECT id FROM \(index) WHERE min_zoom <= ?5 AND max_zoom >= ?5
                        AND west <= ?3 AND east >= ?1 AND south <= ?4 AND north >= ?2
                )
                """,
                [box.southWest.lon, box.southWest.lat, box.northEast.lon, box.northEast.lat, Double(zoom)]
            ) { row in
                guard let kind = row.string(0).flatMap(MapFeature.Kind.init),
                    let lines = CompressedBlob.lines(row.blob(2))
                else { return }
                shapes.append(Shape(kind: kind, name: try row[1], lines: lines))
            }
        }
        return shapes
    }

    func read<Value>(_ body: (SQLConnection) throws -> Value) throws -> Value {
        try connection.withLock { try body(SQLConnection($0)) }
    }
}

extension MapFeature.Kind {
    private static let orders = Dictionary(uniqueKeysWithValues: allCases.enumerated().map { ($1, $0) })

    /// The place in the order of drawing.
    package var order: Int { Self.orders[self] ?? 0 }
}
