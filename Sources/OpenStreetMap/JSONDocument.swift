import Foundation

/// An Overpass response or a GeoJSON document.
struct JSONDocument: Decodable {
    // The document is held in memory several times.
    private static let maxSize = 512 << 20

    private let type: String?
    private let elements: [Lossy<OverpassElement>]?
    private let remark: String?
    private let features: [Lossy<GeoJSONFeature>]?
    private let crs: GeoJSONReferenceSystem?

    init(path: String) throws {
        let bytes = try ByteStream(path: path).wholeText(atMost: Self.maxSize)
        do {
            self = try JSONDecoder().decode(Self.self, from: bytes)
        } catch let error as DecodingError {
            throw Malformed("expected Overpass JSON or a GeoJSON FeatureCollection: \(error.place)")
        }
    }

    func extract(_ meter: ProgressMeter) throws -> Extract {
        if let elements {
            try extract(fromOverpass: elements, meter)
        } else if type == "FeatureCollection", let features {
            try extract(fromGeoJSON: features, meter)
        } else {
            throw Malformed("expected Overpass JSON with elements or a GeoJSON FeatureCollection with features")
        }
    }

    private func extract(fromOverpass elements: [Lossy<OverpassElement>], _ meter: ProgressMeter) throws -> Extract {
        // A query that exceeded its time or memory limit returns only some of the elements.
        if let remark, remark.contains("runtime error") {
            throw Malformed("is incomplete, Overpass says: \(remark.prefix(200))")
        }
        try expect(elements, "elements of Overpass JSON")
        let source = OverpassSource(elements: elements.compactMap(\.value))
        var extract = try ElementExtraction(source: source, meter: meter).extract()
        extract.skipped.malformed += elements.filter { $0.value == nil }.count
        return extract
    }

    private func extract(fromGeoJSON features: [Lossy<GeoJSONFeature>], _ meter: ProgressMeter) throws -> Extract {
        try crs?.expectWGS84()
        try expect(features, "features of GeoJSON")
        var extraction = GeoJSONExtraction(meter: meter)
        for feature in features { try extraction.add(feature.value) }
        return try extraction.finish()
    }

    /// Throws if no value is readable, which means that the file is of another kind. Single unreadable values are
    /// accepted.
    private func expect<Value>(_ values: [Lossy<Value>], _ kind: String) throws {
        guard values.isEmpty || values.contains(where: { $0.value != nil }) else { throw Malformed("expected \(kind)") }
    }
}

/// A value that is nil if it cannot be decoded, so that the other elements of an array can still be read.
struct Lossy<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}

/// A string, or a number or boolean converted to a string.
struct LooseText: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else if let number = try? container.decode(Double.self) {
            text = String(number)
        } else {
            text = (try? container.decode(Bool.self)).map { $0 ? "yes" : "no" }
        }
    }
}

extension [String: LooseText] {
    var tags: Tags { compactMapValues(\.text) }
}

extension ByteStream {
    fileprivate func wholeText(atMost limit: Int) throws -> Data {
        var data = Data()
        var chunk: [UInt8]
        repeat {
            chunk = try read(atMost: 1 << 20)
            data.append(contentsOf: chunk)
            guard data.count <= limit else { throw Malformed("is JSON longer than \(limit >> 20) MiB; use .osm.pbf") }
        } while chunk.count == 1 << 20
        return data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    }
}

extension DecodingError {
    fileprivate var place: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context):
            "\(context.codingPath.map(\.stringValue).joined(separator: ".")) is of the wrong type"
        case .dataCorrupted: "is cut short or no JSON"
        @unknown default: "cannot be read"
        }
    }
}
