package import Domain
package import Foundation

/// A file that points of interest are read from: `.osm.pbf`, `.osm`, `.osm.gz`, Overpass JSON or GeoJSON.
package struct PointsOfInterestFile: Sendable {
    /// How far reading has come.
    package struct Progress: Sendable {
        package var nodes = 0
        package var ways = 0
        package var relations = 0
        package var found = 0
        /// Elements with the right tags that could not be placed: their nodes are missing, or they are relations.
        package var skipped = 0
    }

    package struct Contents: Sendable {
        package let pois: [PointOfInterest]
        package let progress: Progress
    }

    private let url: URL

    package init(_ url: URL) {
        self.url = url
    }

    /// Reads the whole file; the format is told by how it begins. `progress` is called now and then.
    ///
    /// Throws `ServiceError` for a file that is missing, of another format, damaged or cut short.
    package func read(progress: (Progress) -> Void = { _ in }) throws -> Contents {
        guard let handle = try? FileHandle(forReadingFrom: url), let start = try? handle.read(upToCount: 512) else {
            throw refusal("cannot be read")
        }
        switch FileFormat(start) {
        case .json: return try JSONElements(Data(contentsOf: url, options: .mappedIfSafe), refusal).contents()
        case .xml: return try OSMReader(url, refusal).contents(progress)
        case .pbf:
            try PBFFraming(url, refusal).check()
            return try OSMReader(url, refusal).contents(progress)
        case .gzip: return try readDecompressed(progress)
        case nil: throw refusal("expected .osm.pbf, .osm, .osm.gz, Overpass JSON or GeoJSON")
        }
    }

    private func readDecompressed(_ progress: (Progress) -> Void) throws -> Contents {
        let plain = FileManager.default.temporaryDirectory.appending(path: "doggofinder-\(UUID().uuidString).osm")
        defer { try? FileManager.default.removeItem(at: plain) }
        guard try Gzip.decompress(url, to: plain) else { throw refusal("the gzip data is damaged or cut short") }
        return try OSMReader(plain, refusal).contents(progress)
    }

    private func refusal(_ message: String) -> ServiceError {
        .invalid(url.lastPathComponent, message)
    }
}

private enum FileFormat {
    case json
    case xml
    case pbf
    case gzip

    init?(_ start: Data) {
        let first = start.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        if start.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if start.dropFirst(4).range(of: Data("OSMHeader".utf8)) != nil {
            self = .pbf
        } else if first == UInt8(ascii: "{") {
            self = .json
        } else if first == UInt8(ascii: "<"), start.range(of: Data("<osm".utf8)) != nil {
            self = .xml
        } else {
            return nil
        }
    }
}
