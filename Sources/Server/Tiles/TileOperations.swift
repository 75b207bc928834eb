import Domain
import Formats
import OpenAPI

extension Operation {
    static let tiles = TileLayer.allCases.flatMap { layer in
        tagged(.tiles) {
            tile(of: layer)
            description(of: layer)
        }
    }

    private static func tile(of layer: TileLayer) -> Operation {
        get("/tiles/\(layer)/{z}/{x}/{y}.pbf", "get\(layer.title)Tile", "A vector tile of \(layer.noun)")
            .taking(
                [
                    .path("z", .integer(MapTile.zooms), "The zoom.", example: 14),
                    .path("x", .integer(atLeast: 0), "The column, below 2 to the power of the zoom.", example: 8865),
                    .path("y", .integer(atLeast: 0), "The row, below 2 to the power of the zoom.", example: 6161),
                    .ifNoneMatch,
                ] + layer.filters
            )
            .described(
                """
                Mapbox Vector Tile 2.1: each by itself where there are few, else clusters with `count` and `point_count`; `exact` \
                is false where there are at least so many.
                """
            )
            .answering(
                .file("The tile.", type: VectorTile.mediaType, headers: [.cacheControl]),
                .init(204, "Nothing is there.", headers: [.cacheControl])
            )
            .alwaysFound
    }

    private static func description(of layer: TileLayer) -> Operation {
        get(
            "/tiles/\(layer).json", "describe\(layer.title)Tiles",
            "What map libraries ask about tiles of \(layer.noun)"
        )
        .taking(layer.filters)
        .described("TileJSON 3.0.0. The filters go on to the addresses of the tiles.")
        .answering(.json("The description.", .named("TileJSON"), headers: [.cacheControl]))
    }
}

extension TileLayer {
    /// The parameters that filter the features of the layer.
    var filters: [Parameter] {
        switch self {
        case .listings: [.status, .species, .breed, .since]
        case .pois: [.category]
        }
    }

    fileprivate var title: String { rawValue.capitalized }

    fileprivate var noun: String {
        switch self {
        case .listings: "the board"
        case .pois: "help nearby"
        }
    }
}

extension Schema {
    static let tiles: [String: Schema] = [
        "TileJSON": .object(
            [
                "tilejson": .choice(["3.0.0"]), "name": .text(), "scheme": .choice(["xyz"]),
                "tiles": .list(of: .text()), "minzoom": .integer(MapTile.zooms), "maxzoom": .integer(MapTile.zooms),
                "bounds": .list(of: .number(), 4...4),
                "vector_layers": .list(
                    of: .object([
                        "id": .text(), "fields": .object([:]).with("additionalProperties", ["type": "string"]),
                    ])
                ),
            ],
            optional: ["attribution": .text()]
        )
    ]
}
