import Domain

extension JSONWriter {
    /// Writes the description of a tile set that map libraries read first. https://github.com/mapbox/tilejson-spec
    ///
    /// - Parameter fields: the names and descriptions of the features' properties.
    package mutating func tileJSON(
        layer: String,
        tiles: String,
        attribution: String?,
        fields: KeyValuePairs<StaticString, String>
    ) {
        object { json in
            json.field("tilejson", "3.0.0")
            json.field("name", layer)
            if let attribution { json.field("attribution", attribution) }
            json.field("scheme", "xyz")
            json.array("tiles", [tiles]) { $0.string($1) }
            json.field("minzoom", MapTile.zooms.lowerBound)
            json.field("maxzoom", MapTile.zooms.upperBound)
            let edge = MapTile.highestLatitude
            json.array("bounds", [-180, -edge, 180, edge]) { $0.number($1, decimals: 6) }
            json.objects("vector_layers", [layer]) { json, layer in
                json.field("id", layer)
                json.object("fields") { json in
                    for (name, type) in fields { json.field(name, type) }
                }
            }
        }
    }
}
