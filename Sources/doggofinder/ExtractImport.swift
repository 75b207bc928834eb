import Domain
import Foundation
import MapDatabase
import OpenStreetMap
import Storage

/// Reads an extract of OpenStreetMap: the map with streets and addresses into the data folder, the points of interest into the
/// database.
struct ExtractImport {
    struct Counts {
        let map: MapDatabaseCounts
        let pointsOfInterest: Int
        let points: PointOfInterestStore.ImportCounts
    }

    let file: URL
    let name: String
    let dataOptions: DataOptions
    let progress: ProgressReporter

    func run(into database: any Database) async throws -> Counts {
        let gazetteer = try dataOptions.gazetteer(database)
        let points = try PointOfInterestImport.read(file, gazetteer, progress).points
        let store = PointOfInterestStore(database)
        if points.isEmpty, try await store.count(source: name) > 0 {
            throw ServiceError.invalid(
                file.relativePath,
                "holds none of our places, but \(name) held some: is it the whole extract? osm remove \(name) removes them"
            )
        }
        let folder = dataOptions.mapFolder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let writer = try MapDatabaseWriter(
            replacing: MapFolder.file(name, in: folder),
            source: file.lastPathComponent,
            importedAt: Date.now.formatted(.iso8601)
        )
        progress.begin("reading the map")
        try MapExtraction.read(file, temporaryFolder: folder, into: writer) { progress.update($0.elements) }
        progress.begin("looking up towns of streets")
        let map = try writer.finish(
            place: { try gazetteer.place(at: $0, language: .italian) },
            progress: { progress.update($0, of: $1) }
        )
        progress.begin("writing points of interest")
        let counts = try await store.put(points, source: name)
        return Counts(map: map, pointsOfInterest: points.count, points: counts)
    }
}
