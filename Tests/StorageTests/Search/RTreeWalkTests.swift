import Domain
import Foundation
import RandomSupport
import SQL
import SpatiaLite
import TestSupport
import Testing

@testable import Storage

@Suite("R*Tree walk", .enabled(if: TestDatabase.isFile, "only SpatiaLite has R*Trees"))
struct RTreeWalkTests {
    /// Points all over the Earth, including both edges of the map and both poles.
    private static func points(_ count: Int) -> [Coordinate] {
        var random = SeededGenerator(seed: 7)
        let edges = [(180.0, 0.0), (-180, 0), (179.99, 10), (-179.99, 10), (0, 90), (0, -90), (12, 89.9), (0, 0)]
        let anywhere = (edges.count..<count).map { _ in
            (Double.random(in: -180...180, using: &random), Double.random(in: -90...90, using: &random))
        }
        return (edges + anywhere).compactMap { Coordinate(lon: $0.0, lat: $0.1) }
    }

    @Test(
        "The walk visits everything within the range, nearest first except for rounded boxes",
        arguments: [0, 1, 5, 6]
    )
    func nearestFirst(of centre: Int) async throws {
        let points = Self.points(2000)
        let board = try await Self.filled(points)
        for range in [0.0...1_000_000, 0...Coordinate.maxDistance, 3_000_000...9_000_000] {
            let met = try await board.database.read { db in
                var walk = try RTreeWalk(
                    db,
                    table: "idx_poi_geom",
                    centre: points[centre],
                    range: range,
                    box: nil,
                    where: { $0 % 2 == 1 }
                )
                var met: [Int] = []
                while let number = try walk.next() { met.append(Int(number) - 1) }
                return met
            }
            let distances = met.map { points[centre].distance(to: points[$0]) }
            for (before, after) in zip(distances, distances.dropFirst()) {
                // The score is the distance on a sphere, which differs from that on the ellipsoid by the flattening.
                #expect(after >= before * 0.985 - 10)
            }
            let wanted = points.indices.filter { index in
                index.isMultiple(of: 2) && range.contains(points[centre].distance(to: points[index]))
            }
            #expect(Set(met).isSuperset(of: wanted))
            #expect(met.count == Set(met).count && met.allSatisfy { $0.isMultiple(of: 2) })
        }
    }

    /// A board whose listings have the keys 1, 2 and so on.
    private static func filled(_ points: [Coordinate]) async throws -> TestDatabase {
        let board = try await TestDatabase()
        _ = try await board.pois.put([], source: "test")
        try await board.database.write { db in
            for (number, point) in points.enumerated() {
                try db.execute(
                    """
                    INSERT INTO poi (id, ref, source_id, seen, category, geom)
                    VALUES (?, ?, (SELECT id FROM poi_source), 1, 'veterinary', MakePoint(?, ?, 4326))
                    """,
                    [number + 1, "\(number)", point.lon, point.lat]
                )
            }
        }
        return board
    }

    @Test(
        "A damaged node is an error, not a crash",
        arguments: ["zeroblob(0)", "zeroblob(3)", "x'0000ffff'", "x'00ff0001' || zeroblob(24)", "NULL"]
    )
    func damaged(node: String) async throws {
        let board = try await Self.filled(Self.points(50))
        try await board.database.write { db in
            try db.execute("UPDATE idx_poi_geom_node SET data = CAST(\(node) AS BLOB) WHERE nodeno = 1")
        }
        var query = PointOfInterestStore.Query()
        query.centre = Coordinate(lon: 12, lat: 42)
        await #expect { try await board.pois.findPointsOfInterest(query) } throws: { error in
            error as? ServiceError == StorageFault.damaged.serviceError
        }
    }
}
