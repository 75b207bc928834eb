import Domain
import Foundation

/// A feature as defined in RFC 7946, with OpenStreetMap tags as properties.
struct GeoJSONFeature: Decodable {
    let geometry: GeoJSONGeometry?
    let tags: Tags
    let element: PointOfInterest.Element?

    private enum Key: String, CodingKey {
        case type
        case id
        case properties
        case geometry
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        guard try container.decode(String.self, forKey: .type) == "Feature" else {
            throw DecodingError.dataCorruptedError(forKey: .type, in: container, debugDescription: "not a Feature")
        }
        let properties = try container.decodeIfPresent(GeoJSONProperties.self, forKey: .properties)
        let id = try? container.decodeIfPresent(LooseText.self, forKey: .id)?.text
        tags = properties?.tags ?? [:]
        element = properties?.element ?? id.flatMap { PointOfInterest.Element(text: $0) }
        geometry = (try? container.decodeIfPresent(Lossy<GeoJSONGeometry>.self, forKey: .geometry))?.value
    }
}

/// Tags are either the properties themselves or, in the output of osmtogeojson, in an object named `tags`.
private struct GeoJSONProperties: Decodable {
    private struct Nested: Decodable {
        let tags: [String: LooseText]
    }

    let tags: Tags
    let element: PointOfInterest.Element?

    init(from decoder: any Decoder) throws {
        let flat = try [String: LooseText](from: decoder).tags
        tags = (try? Nested(from: decoder))?.tags.tags ?? flat
        element =
            flat["@id"].flatMap { PointOfInterest.Element(text: $0) }
            ?? PointOfInterest.Element(type: flat["@type"], id: flat["@id"])
            ?? PointOfInterest.Element(type: flat["type"], id: flat["id"])
            ?? flat["id"].flatMap { PointOfInterest.Element(text: $0) }
    }
}

extension PointOfInterest.Element {
    /// Parses "way/123" as overpass-turbo writes it, and "w123" or (for areas) "a246" as osmium does.
    fileprivate init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 2 {
            self.init(type: String(parts[0]), id: String(parts[1]))
        } else {
            self.init(osmium: text)
        }
    }

    fileprivate init?(type: String?, id: String?) {
        guard let type = type.flatMap(PointOfInterest.ElementType.init), let id = id.flatMap({ Int64($0) }) else {
            return nil
        }
        self.init(type: type, id: id)
    }

    private init?(osmium text: String) {
        guard let id = Int64(text.dropFirst()) else { return nil }
        switch text.first {
        case "n": self.init(type: .node, id: id)
        case "w": self.init(type: .way, id: id)
        case "r": self.init(type: .relation, id: id)
        // The number of an area is twice the number of its way, or twice the number of its relation plus one.
        case "a": self.init(type: id.isMultiple(of: 2) ? .way : .relation, id: id / 2)
        default: return nil
        }
    }
}

/// The `crs` member of GeoJSON before RFC 7946.
struct GeoJSONReferenceSystem: Decodable {
    private struct Properties: Decodable {
        let name: String?
    }

    private let properties: Properties?

    func expectWGS84() throws {
        guard let name = properties?.name else { return }
        guard name.hasSuffix("CRS84") || name.hasSuffix(":4326") else {
            throw Malformed("expected coordinates in WGS 84, not \(name.prefix(50))")
        }
    }
}
