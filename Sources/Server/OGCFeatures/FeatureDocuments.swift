import CQL2
import Domain
import Formats
import Storage

extension JSONWriter {
    /// Writes the description of a collection, with links to its features.
    mutating func collection(_ collection: any FeatureCollection, _ baseURL: BaseURL) throws {
        let type = type(of: collection)
        let address = baseURL.link("/collections/\(type.id)")
        let extent = try collection.extent()
        object { json in
            json.field("id", type.id)
            json.field("title", type.title)
            json.field("description", type.description)
            json.field("itemType", "feature")
            json.array("crs", [ItemQuery.crs84]) { $0.string($1) }
            if let extent { json.extent(extent) }
            json.links([
                Link(rel: "self", href: address, type: "application/json"),
                Link(rel: "items", href: "\(address)/items", type: "application/geo+json"),
                Link(rel: "describedby", href: "\(address)/schema", type: "application/schema+json"),
                Link(
                    rel: "http://www.opengis.net/def/rel/ogc/1.0/queryables",
                    href: "\(address)/queryables",
                    type: "application/schema+json"
                ),
            ])
        }
    }

    private mutating func extent(_ extent: FeatureExtent) {
        let (southWest, northEast) = (extent.box.southWest, extent.box.northEast)
        object("extent") { json in
            json.object("spatial") { json in
                json.array("bbox", [[southWest.lon, southWest.lat, northEast.lon, northEast.lat]]) { json, sides in
                    json.array(sides) { $0.number($1) }
                }
                json.field("crs", ItemQuery.crs84)
            }
            guard let since = extent.since else { return }
            json.object("temporal") { json in
                json.array("interval", [[since.text, nil]]) { json, ends in
                    json.array(ends) { json, end in end.map { json.string($0) } ?? json.null() }
                }
            }
        }
    }

    /// Writes a JSON Schema of the properties of the features, or of those that filters may use.
    mutating func schema(of collection: any FeatureCollection.Type, _ address: String, onlyQueryables: Bool) {
        let properties = onlyQueryables ? collection.queryableProperties : collection.properties
        object { json in
            json.field("$schema", "https://json-schema.org/draft/2020-12/schema")
            json.field("$id", address)
            json.field("type", "object")
            json.field("title", collection.title)
            json.object("properties") { json in
                json.object("geometry") { json in
                    json.field("title", "Where it is")
                    json.field("format", "geometry-point")
                    json.field("x-ogc-role", "primary-geometry")
                }
                json.object("id") { json in
                    json.field("title", "Identifier")
                    json.field("type", collection.queryables.idKind)
                    json.field("x-ogc-role", "id")
                }
                for property in properties { json.property(property) }
            }
            json.field("additionalProperties", false)
        }
    }

    private mutating func property(_ property: FeatureProperty) {
        object(named: property.name) { json in
            json.field("title", property.title)
            switch property.kind {
            case .text: json.field("type", "string")
            case .integer: json.field("type", "integer")
            case .boolean: json.field("type", "boolean")
            case .time:
                json.field("type", "string")
                json.field("format", "date-time")
            case .address:
                json.field("type", "string")
                json.field("format", "uri")
            case .texts, .photos:
                json.field("type", "array")
                json.object("items") { $0.field("type", property.kind == .texts ? "string" : "object") }
            }
            if !property.values.isEmpty { json.array("enum", property.values) { $0.string($1) } }
        }
    }
}

extension [Queryable] {
    fileprivate var idKind: String { first { $0.name == "id" }?.type == .integer ? "integer" : "string" }
}
