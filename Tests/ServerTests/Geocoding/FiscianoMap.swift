import Domain
import Foundation
import Mail
import MapDatabase
import ServerSupport
import Storage
import TestSupport
import Testing

/// A map of Fisciano with one street, two houses and a landmark.
enum FiscianoMap {
    static let (lon, lat) = (14.7905, 40.7701)

    /// Runs a service whose data folder has a map of Fisciano with one street, two houses and a landmark.
    static func with(
        board: TestDatabase? = nil,
        mailer: ((any Database) throws -> Mailer)? = nil,
        now: @escaping @Sendable () -> Timestamp = { .recent },
        _ body: (RunningService) async throws -> Void
    ) async throws {
        let board = if let board { board } else { try await TestDatabase() }
        let folder = board.folder.url.appending(path: MapFolder.name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let writer = try MapDatabaseWriter(
            replacing: MapFolder.file("fisciano", in: folder),
            source: "fisciano.osm.pbf",
            importedAt: "2026-11-29T00:00:00Z"
        )
        let ends = try [(14.789, 40.77), (14.792, 40.77)].map { try #require(Coordinate(lon: $0.0, lat: $0.1)) }
        try writer.add(MapFeature(.street, zooms: 13...19, name: "Via Roma", .line(ends)))
        let middle = try #require(Coordinate(lon: 14.7905, lat: 40.77))
        for (key, value, name) in [("highway", "residential", "Via Roma"), ("amenity", "hospital", "Ospedale Ruggi")] {
            try writer.add(
                MapDatabaseWriter.NamedPlace(
                    tag: (key, value),
                    name: name,
                    otherNames: [],
                    middle: middle,
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
                    position: try #require(Coordinate(lon: lon + east, lat: lat))
                )
            )
        }
        let gazetteer = try Bundled.gazetteer()
        _ = try writer.finish(place: { try gazetteer.place(at: $0, language: .italian) }, progress: { _, _ in })
        try await RunningService.with(board: board, hasModel: false, mailer: mailer, now: now) { try await body($0) }
    }
}
