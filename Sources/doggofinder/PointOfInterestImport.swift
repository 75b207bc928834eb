import Domain
import Foundation
import Gazetteer
import OpenStreetMap

/// Reads the points of interest of a file for the database.
enum PointOfInterestImport {
    static func read(_ url: URL, _ gazetteer: Gazetteer, _ progress: ProgressReporter) throws -> Extract {
        progress.begin("reading elements of \(url.lastPathComponent)")
        var contents = try PointsOfInterestFile(url).read { progress.update($0.elements) }
        progress.begin("looking up towns", total: contents.points.count)
        // Most points of interest in OpenStreetMap have no address, so the gazetteer supplies the town.
        for index in contents.points.indices where contents.points[index].city == nil {
            progress.update(index)
            let place = try gazetteer.place(at: contents.points[index].coordinate, language: .italian)
            contents.points[index].city = place?.comune
            contents.points[index].postalCode = contents.points[index].postalCode ?? place?.postalCode
        }
        progress.end()
        return contents
    }
}
