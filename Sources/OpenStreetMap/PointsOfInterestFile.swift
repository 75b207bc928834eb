package import Domain
package import Foundation

/// A file of OpenStreetMap data: .osm.pbf, .osm, Overpass JSON or GeoJSON, each optionally compressed by gzip.
package struct PointsOfInterestFile {
    private let path: String

    package init(_ url: URL) {
        path = url.path
    }

    /// Reads the file. The format is detected from the content, not from the file name. An error thrown by `progress`
    /// cancels the reading.
    package func read(progress: (ReadingProgress) throws -> Void = { _ in }) throws -> Extract {
        do {
            return try withoutActuallyEscaping(progress) { progress in
                try read(ProgressMeter(report: progress))
            }
        } catch let error as Malformed {
            throw OpenStreetMapFileError(file: path, reason: error.reason)
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
    /// The points with an OpenStreetMap id in the order of type and id, then the others in the order of the file.
    package var points: [PointOfInterest]
    package var skipped: Skipped

    package init(points: [PointOfInterest] = [], skipped: Skipped = Skipped()) {
        self.points = points
        self.skipped = skipped
    }
}

/// The numbers of elements that are, or may be, points of interest but were left out.
package struct Skipped: Equatable, Sendable {
    /// Elements without an id, a position or the structure that the format requires.
    package var malformed = 0
    /// Elements with nodes or ways that are not in the file.
    package var incomplete = 0
    /// Elements that are not a point, a line or an area.
    package var withoutGeometry = 0
    package var outOfRange = 0

    package init() {}

    package var total: Int { malformed + incomplete + withoutGeometry + outOfRange }
}

package struct OpenStreetMapFileError: Error, Equatable, CustomStringConvertible {
    package let file: String
    package let reason: String

    package init(file: String, reason: String) {
        self.file = file
        self.reason = reason
    }

    package var description: String { "\(file): \(reason)" }
}

/// An error in a file, before the file name is added to it.
struct Malformed: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
