import Domain
import Foundation

/// Reads Overpass JSON (bodies, `center` or `geom`) and GeoJSON (RFC 7946), told apart by what they hold.
struct JSONElements {
    private let root: JSONValue
    private let refusal: (String) -> ServiceError

    init(_ data: Data, _ refusal: @escaping (String) -> ServiceError) throws {
        self.refusal = refusal
        guard let root = try? JSONDecoder().decode(JSONValue.self, from: data) else {
            throw refusal("the JSON is damaged or cut short")
        }
        self.root = root
    }

    func contents() throws -> PointsOfInterestFile.Contents {
        let elements: [Element]
        if let overpass = root["elements"]?.items {
            let nodes = Self.nodes(overpass)
            elements = overpass.compactMap { Element(overpass: $0, nodes: nodes) }
        } else if let features = root["features"]?.items {
            elements = features.compactMap(Element.init(feature:))
        } else {
            throw refusal("expected Overpass JSON with \"elements\" or GeoJSON with \"features\"")
        }
        return collect(elements)
    }

    private func collect(_ elements: [Element]) -> PointsOfInterestFile.Contents {
        var progress = PointsOfInterestFile.Progress()
        var numbered: [PointOfInterest.Element: Int] = [:]
        var pois: [PointOfInterest] = []
        for element in elements {
            progress.count(element.id?.type)
            guard PointOfInterest.Category(tags: element.tags) != nil else { continue }
            guard let point = element.point,
                let poi = PointOfInterest(tags: element.tags, at: point, element: element.id)
            else {
                progress.skipped += 1
                continue
            }
            if let id = element.id, let known = numbered[id] {
                pois[known] = poi
            } else {
                if let id = element.id { numbered[id] = pois.count }
                pois.append(poi)
            }
        }
        progress.found = pois.count
        return PointsOfInterestFile.Contents(pois: pois, progress: progress)
    }

    private static func nodes(_ elements: [JSONValue]) -> [Int64: Coordinate] {
        var nodes: [Int64: Coordinate] = [:]
        for element in elements where element["type"]?.text == "node" {
            if let id = element["id"]?.integer, let point = element.position { nodes[id] = point }
        }
        return nodes
    }
}

private struct Element {
    let id: PointOfInterest.Element?
    let tags: [String: String]
    let point: Coordinate?

    init?(overpass value: JSONValue, nodes: [Int64: Coordinate]) {
        guard let type = value["type"]?.text.flatMap(PointOfInterest.ElementType.init), let id = value["id"]?.integer
        else { return nil }
        self.id = PointOfInterest.Element(type: type, id: id)
        tags = value["tags"]?.texts ?? [:]
        if let point = value.position ?? value["center"]?.position {
            self.point = point
        } else if let line = value["geometry"]?.items {
            point = Shape(line: line.compactMap(\.position)).pointInside
        } else {
            let refs = value["nodes"]?.items?.compactMap(\.integer) ?? []
            let line = refs.compactMap { nodes[$0] }
            point = line.count == refs.count ? Shape(line: line).pointInside : nil
        }
    }

    init?(feature: JSONValue) {
        guard feature["type"]?.text == "Feature" else { return nil }
        tags = feature["properties"]?.texts ?? [:]
        id = (tags["@id"] ?? feature["id"]?.text).flatMap(PointOfInterest.Element.init(path:))
        point = feature["geometry"].flatMap(Self.point)
    }

    private static func point(_ geometry: JSONValue) -> Coordinate? {
        let coordinates = geometry["coordinates"]
        switch geometry["type"]?.text {
        case "Point": return coordinates?.pair
        case "LineString": return Shape(line: coordinates?.pairs ?? []).pointInside
        case "Polygon": return Shape(line: coordinates?.items?.first?.pairs ?? []).pointInside
        case "MultiPolygon": return Shape(line: coordinates?.items?.first?.items?.first?.pairs ?? []).pointInside
        default: return nil
        }
    }
}

extension PointOfInterest.Element {
    /// Like `way/123`.
    fileprivate init?(path: String) {
        let parts = path.split(separator: "/")
        guard parts.count == 2, let type = PointOfInterest.ElementType(rawValue: String(parts[0])),
            let id = Int64(parts[1])
        else { return nil }
        self.init(type: type, id: id)
    }
}

extension PointsOfInterestFile.Progress {
    fileprivate mutating func count(_ type: PointOfInterest.ElementType?) {
        switch type {
        case .way: ways += 1
        case .relation: relations += 1
        case .node, nil: nodes += 1
        }
    }
}

extension JSONValue {
    fileprivate subscript(key: String) -> JSONValue? {
        if case .object(let fields) = self { fields[key] } else { nil }
    }

    fileprivate var items: [JSONValue]? {
        if case .array(let items) = self { items } else { nil }
    }

    fileprivate var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    fileprivate var integer: Int64? {
        if case .number(let number) = self { Int64(exactly: number) } else { nil }
    }

    /// The members that are text, or numbers written as text.
    fileprivate var texts: [String: String] {
        guard case .object(let fields) = self else { return [:] }
        return fields.compactMapValues { value in value.text ?? value.integer.map(String.init) }
    }

    /// An object with `lon` and `lat`.
    fileprivate var position: Coordinate? {
        guard case .number(let lon)? = self["lon"], case .number(let lat)? = self["lat"] else { return nil }
        return Coordinate(lon: lon, lat: lat)
    }

    /// An array that starts with longitude and latitude.
    fileprivate var pair: Coordinate? {
        guard let items, items.count >= 2, case .number(let lon) = items[0], case .number(let lat) = items[1] else {
            return nil
        }
        return Coordinate(lon: lon, lat: lat)
    }

    fileprivate var pairs: [Coordinate]? { items?.compactMap(\.pair) }
}
