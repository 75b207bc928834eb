package import Domain
import Foundation
import XML

/// The lines of a GPX file, versions 1.0 and 1.1 (https://www.topografix.com/GPX/1/1/): the segments of tracks, and routes.
package struct GPXFile: Equatable, Sendable {
    /// The maximum number of points that are read.
    package static let maxPoints = 100_000
    private static let maxDepth = 32

    /// The first name in the file.
    package let name: String?
    /// Each has at least one point.
    package let segments: [[TrackPoint]]
    /// The number of points that were left out because their position cannot be. Devices write such points for a pause
    /// and while they have no fix.
    package let leftOut: Int

    /// - Parameter bytes: UTF-8 or ISO-8859-1 without a document type.
    /// - Throws: `ServiceError` if the file is no such GPX file or has too many points.
    package init(_ bytes: UnsafeRawBufferPointer) throws(ServiceError) {
        let elements = GPXElements()
        do {
            let reader = try XMLReader(elements, .plain(maxDepth: Self.maxDepth))
            elements.line = { [unowned reader] in reader.line }
            try reader.read(bytes)
        } catch let error as ServiceError {
            throw error
        } catch let error as XMLFailure {
            throw .noGPX("line \(error.line): \(error.message)")
        } catch {
            throw .noGPX(ErrorMessage(verbatim: "\(error)"))
        }
        name = elements.name
        segments = elements.segments.filter { !$0.isEmpty }
        leftOut = elements.leftOut
        guard !segments.isEmpty else { throw .noGPX("expected a track or a route with points") }
    }

    package init(_ bytes: [UInt8]) throws(ServiceError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ServiceError) in try GPXFile(bytes) }
        }
        self = try result.get()
    }
}

/// Converts the parts of a GPX document into segments.
private final class GPXElements: XMLHandler {
    private static let maxTextLength = 1000

    var line: () -> Int = { 0 }
    private(set) var name: String?
    private(set) var segments: [[TrackPoint]] = []
    private(set) var leftOut = 0
    private var count = 0
    private var path: [String] = []
    private var coordinate: Coordinate?
    private var time: Int64?
    /// The text of the present element, if it is read.
    private var words: [UInt8]?

    func start(_ name: String, _ attributes: XMLAttributes, depth: Int) throws {
        // The prefix of a namespace is whatever the program chose.
        let local = name.split(separator: ":").last.map(String.init) ?? name
        guard depth > 1 || local == "gpx" else {
            throw invalid("expected the root element gpx, not \(local.prefix(50))")
        }
        path.append(local)
        words = nil
        switch path.dropFirst() {
        case ["trk", "trkseg"], ["rte"]: segments.append([])
        case ["trk", "trkseg", "trkpt"], ["rte", "rtept"]: try startPoint(attributes)
        case ["trk", "name"], ["rte", "name"], ["metadata", "name"], ["name"]: words = self.name == nil ? [] : nil
        case ["trk", "trkseg", "trkpt", "time"], ["rte", "rtept", "time"]: words = []
        default: break
        }
    }

    func text(_ text: UnsafeRawBufferPointer) throws {
        guard words != nil else { return }
        words?.append(contentsOf: text)
        if words?.count ?? 0 > Self.maxTextLength { throw invalid("expected a shorter name or time") }
    }

    func end(depth: Int) throws {
        let ended = path.removeLast()
        if let words {
            let text = String(decoding: words, as: UTF8.self).trimmed
            if ended == "time" { time = Self.milliseconds(of: text) } else if !text.isEmpty { name = String(text) }
            self.words = nil
        }
        guard ended == "trkpt" || ended == "rtept", let coordinate, !segments.isEmpty else { return }
        segments[segments.count - 1].append(TrackPoint(coordinate, at: time))
        (self.coordinate, time) = (nil, nil)
    }

    private func startPoint(_ attributes: XMLAttributes) throws {
        count += 1
        guard count <= GPXFile.maxPoints else {
            throw ServiceError(.tooLarge, "body: expected at most \(GPXFile.maxPoints) points")
        }
        (coordinate, time) = (nil, nil)
        let numbers = [attributes["lon"], attributes["lat"]].map { $0.flatMap(Double.init) }
        guard let lon = numbers[0], let lat = numbers[1], let point = Coordinate(lon: lon, lat: lat),
            (try? point.expectPossible()) != nil
        else {
            leftOut += 1
            return
        }
        coordinate = point
    }

    /// Returns nil for words such as "null", which devices write for a time that they do not know.
    private static func milliseconds(of text: Substring) -> Int64? {
        // Times are in UTC, though some programs leave out the Z.
        (Timestamp(parsing: String(text)) ?? Timestamp(parsing: text + "Z"))?.milliseconds
    }

    private func invalid(_ expectation: ErrorMessage) -> ServiceError { .noGPX("line \(line()): \(expectation)") }
}

extension ServiceError {
    fileprivate static func noGPX(_ reason: ErrorMessage) -> ServiceError {
        .invalid("body", "is no readable GPX: \(reason)")
    }
}
