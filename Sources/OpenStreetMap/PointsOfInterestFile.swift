package import Domain
package import Foundation

/// A file of OpenStreetMap data: .osm.pbf, .osm, Overpass JSON or GeoJSON, each also compressed by gzip.
package struct PointsOfInterestFile {
    private let path: String

    package init(_ url: URL) {
        path = url.path
    }

    /// The format is told by content, not by the file's name. What `progress` throws ends the reading.
    package func read(progress: (ReadingProgress) throws -> Void = { _ in }) throws -> Extract {
        do {
            return try withoutActuallyEscaping(progress) { progress in
                try read(ProgressMeter(report: progress))
            }
        } catch let error as Malformed {
            throw PointsOfInterestFileError(file: path, reason: error.reason)
        }
    }

    private func read(_ meter: ProgressMeter) throws -> Extract {
        switch try FileFormat(ofFileAt: path) {
        case .pbf:
            try ElementExtraction(source: PBFSource(path: path), meter: meter).extract()
        case .xml:
            try ElementExtraction(source: XMLSource(path: path), meter: meter).extract()
        case .json:
            try JSONDocument(path: path).extract(meter)
        }
    }
}

package struct Extract: Equatable, Sendable {
    /// Those of OpenStreetMap in order of their type and id, then those without an id in the file's order.
    package var points: [PointOfInterest]
    package var skipped: Skipped

    package init(points: [PointOfInterest] = [], skipped: Skipped = Skipped()) {
        self.points = points
        self.skipped = skipped
    }
}

/// Elements that are, or could have been, points of interest but were left out.
package struct Skipped: Equatable, Sendable {
    /// Without an id, a position or the shape that the format asks for.
    package var malformed = 0
    /// Made of nodes or ways that the file lacks.
    package var incomplete = 0
    /// Not a point, a line or an area.
    package var withoutGeometry = 0
    package var outOfRange = 0

    package init() {}

    package var total: Int { malformed + incomplete + withoutGeometry + outOfRange }
}

package struct PointsOfInterestFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let reason: String

    package init(file: String, reason: String) {
        self.file = file
        self.reason = reason
    }

    package var description: String { "\(file): \(reason)" }
}

/// Why a file cannot be read, before its name is known.
struct Malformed: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
