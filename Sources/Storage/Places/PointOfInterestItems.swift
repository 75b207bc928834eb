package import CQL2
package import Domain
import SQL

/// Points of interest as a feature collection.
extension PointOfInterestStore {
    package static let queryables: [Queryable] =
        [
            Queryable(name: "geometry", type: .geometry, sql: "poi.geom"),
            Queryable(name: "id", type: .integer, sql: "poi.id"),
            Queryable(name: "osm_type", type: .text, sql: "poi.element_type"),
            Queryable(name: "osm_id", type: .integer, sql: "poi.element_id"),
        ]
        + [
            "category", "name", "street", "house_number", "postal_code", "city", "phone", "website", "opening_hours",
        ].map { Queryable(name: $0, type: .text, sql: "poi.\($0)") }

    private static let items = ItemTable(
        from: "poi",
        key: "poi.id",
        columns: columns,
        lon: "ST_X(poi.geom)",
        lat: "ST_Y(poi.geom)",
        queryables: queryables,
        index: index
    )

    /// - Returns: the key of the last item if more follow; otherwise nil.
    package func findItems(_ query: ItemQuery, _ body: (Entry) throws -> Void) throws -> Int64? {
        try database.readNow { db in
            var last = Int64?.none
            let isMore = try Self.items.read(query, db) { row in
                last = row.integer(0)
                try body(Entry(key: row.integer(0), poi: PointOfInterest(row), distance: nil))
            }
            return isMore ? last : nil
        }
    }

    /// Returns the total number of matching points of interest; nil if counting takes more than 50 milliseconds.
    package func countItems(_ query: ItemQuery) throws -> Int? {
        try database.readNow(atMost: 0.05) { db in try Self.items.count(query, db) }
    }

    /// Returns the bounding box of all points of interest; nil if there are none.
    package func extent() throws -> BoundingBox? {
        try database.readNow { db in try Self.index.extent(db) }
    }
}
