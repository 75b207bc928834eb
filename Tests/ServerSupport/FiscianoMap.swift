package import Domain
import Foundation
package import Mail
import MapDatabase
package import Storage
package import TestSupport

/// A map of Fisciano with one street, two houses and a landmark.
package enum FiscianoMap {
    package static let (lon, lat) = (14.7905, 40.7701)

    /// Runs a service whose data folder has a map of Fisciano with one street, two houses and a landmark.
    package static func with(
        board: TestDatabase? = nil,
        mailer: ((any Database) throws -> Mailer)? = nil,
        now: @escaping @Sendable () -> Timestamp = { .recent },
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let board = if let board { board } else { try await TestDatabase() }
        try write(to: board)
        try await RunningService.with(board: board, hasModel: false, mailer: mailer, now: now, body)
    }

    /// Adds the map to the data folder of a board.
    package static func write(to board: TestDatabase) throws {
        let folder = board.folder.url.appending(path: MapFolder.name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let writer = try MapDatabaseWriter(
            replacing: MapFolder.file("fisciano", in: folder),
            source: "fisciano.osm.pbf",
            importedAt: "2026-11-29T00:00:00Z"
        )
        let ends = try [14.789, 14.792].map { try point($0, 40.77) }
        try writer.add(MapFeature(.street, zooms: 13...19, name: "Via Roma", .line(ends)))
        for (key, value, name) in [("highway", "residential", "Via Roma"), ("amenity", "hospital", "Ospedale Ruggi")] {
            try writer.add(
                MapDatabaseWriter.NamedPlace(
                    tag: (key, value),
                    name: name,
                    otherNames: [],
                    middle: try point(lon, 40.77),
                    length: 1
                )
            )
        }
        for (number, east) in [("12", 0.0), ("20", 0.001)] {
            try writer.add(
                MapDatabaseWriter.HouseNumber(
                    number: number,
                    street: "Via Roma",
                    city: nil,
                    postalCode: "84084",
                    position: try point(lon + east, lat)
                )
            )
        }
        let gazetteer = try Bundled.gazetteer()
        _ = try writer.finish(place: { try gazetteer.place(at: $0, language: .italian) }, progress: { _, _ in })
    }

    private static func point(_ lon: Double, _ lat: Double) throws -> Coordinate {
        guard let point = Coordinate(lon: lon, lat: lat) else { throw CocoaError(.coderInvalidValue) }
        return point
    }
}
