package import Domain
package import Foundation

/// The type of a file of places, detected from its content.
package enum PlaceFile: Sendable {
    /// Polygons with fields, which a `FieldMapping` interprets.
    case boundaries(BoundaryFormat)
    /// The main table of GeoNames: `IT.txt`, `allCountries.txt`.
    case geoNames
    /// The postal code table of GeoNames.
    case postalCodes

    package enum BoundaryFormat: CaseIterable, Sendable {
        case geoJSON
        case geoPackage
        case shapefile

        var name: String {
            switch self {
            case .geoJSON: "GeoJSON"
            case .geoPackage: "a GeoPackage"
            case .shapefile: "a shapefile"
            }
        }
    }

    private static let geoNamesColumns = 19
    private static let postalColumns = 12

    private static let expected =
        "GeoJSON, a GeoPackage, a shapefile's .shp, or a table of GeoNames "
        + "(\(geoNamesColumns) columns; postal codes \(postalColumns))"

    package init(_ url: URL) throws {
        try url.requireReadable(Self.expected)
        guard let file = try? FileHandle(forReadingFrom: url) else { throw PlaceFileError(url, "cannot be read") }
        let start = try file.read(upToCount: 1 << 16) ?? Data()
        if start.starts(with: Data("SQLite format 3\0".utf8)) {
            self = .boundaries(.geoPackage)
        } else if start.starts(with: [0, 0, 0x27, 0x0A]) {
            self = .boundaries(.shapefile)
        } else if Self.isObject(start) {
            self = .boundaries(.geoJSON)
        } else {
            self = try Self.table(start, url)
        }
    }

    /// Throws if an option does not apply to this type of file.
    package func check(_ options: BoundaryFile.Options) throws(ServiceError) {
        if options.layer != nil, boundaryFormat != .geoPackage { throw refusal("layer", "a GeoPackage") }
        if options.encoding != nil, boundaryFormat != .shapefile { throw refusal("encoding", "a shapefile") }
        if options.srid != nil, boundaryFormat == nil { throw refusal("srid", "boundaries") }
    }

    /// The format of boundaries, or nil for a table.
    private var boundaryFormat: BoundaryFormat? {
        if case .boundaries(let format) = self { format } else { nil }
    }

    private func refusal(_ option: String, _ taker: ErrorMessage) -> ServiceError {
        let found: ErrorMessage = boundaryFormat.map { ErrorMessage(verbatim: $0.name) } ?? "a table of GeoNames"
        return .invalid(option, "is for \(taker), and the file is \(found)")
    }

    private static func isObject(_ start: Data) -> Bool {
        let text = start.starts(with: [0xEF, 0xBB, 0xBF]) ? start.dropFirst(3) : start
        return text.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    }

    private static func table(_ start: Data, _ url: URL) throws -> PlaceFile {
        let compressed: [[UInt8]] = [[0x1F, 0x8B], Array("PK".utf8), [0xFD, 0x37, 0x7A], Array("BZh".utf8)]
        guard !compressed.contains(where: start.starts) else {
            throw PlaceFileError(url, "is compressed: unpack it first")
        }
        let line = start.prefix { $0 != UInt8(ascii: "\n") }
        switch line.count(where: { $0 == UInt8(ascii: "\t") }) + 1 {
        case geoNamesColumns: return .geoNames
        case postalColumns: return .postalCodes
        case let columns:
            throw PlaceFileError(url, "expected \(expected); its first line has \(columns)")
        }
    }
}

/// An error that prevents the import of a file.
package struct PlaceFileError: Error, Equatable, CustomStringConvertible {
    package let description: String

    package init(_ url: URL, _ reason: String) {
        description = "\(url.path): \(reason)"
    }
}
