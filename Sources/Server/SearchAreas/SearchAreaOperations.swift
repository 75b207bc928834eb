import Domain
import HTTP
import OpenAPI
import SearchAreas

extension Operation {
    static let searchAreas = tagged(.listings) {
        get(
            "/v1/listings/{id}/search-area", "getSearchArea",
            "The circles that hold a lost animal with 50, 75 and 95 %"
        )
        .known.taking(.id, .ifNoneMatch)
        .described(
            """
            Polygons of 64 corners, the largest first, for open listings of lost dogs and cats whose place is marked on the map. After a \
            confirmed sighting, each probability has a circle around it and one around the place of the loss, which hold the \
            animal together. Owners get circles around the exact point, others around the public cell of 500 m.
            """
        )
        .answering(.geoJSON("The circles.", .named("SearchArea")))
        .failing(.conflict)
    }
}

extension Schema {
    static let searchAreas: [String: Schema] = [
        "SearchArea": .object([
            "type": .choice(["FeatureCollection"]), "features": .list(of: .named("SearchAreaCircle")),
            "hours": .integer(atLeast: 0).described("Whole hours since the animal was seen last."),
            "basis": .object([
                "distances": .choice(["fitted", "prior"]).described("Fitted to real pairs of places, or assumed."),
                "growth": .choice(["prior"]).described("How the circles grow in the first 48 hours is assumed."),
            ]),
            "calibration": .object([
                "calibrated": .flag.described("Whether reunions of this service scale the radii."),
                "n": .integer(atLeast: 0).described("The number of reunions that do."),
            ]),
            "links": .list(of: .named("Link")),
        ]),
        "SearchAreaCircle": .object([
            "type": .choice(["Feature"]), "geometry": .named("PolygonOrMultiPolygon"),
            "properties": .object([
                "probability": .number(0...1), "radius_m": .integer(atLeast: 1).described("In metres."),
                "centre": .list(of: .number(), 2...2).described("Degrees east, degrees north."),
                "around": .choice(SearchArea.Centre.self),
            ]),
        ]),
        "PolygonOrMultiPolygon": .object([
            "type": .choice(["Polygon", "MultiPolygon"]),
            "coordinates": .list(of: Schema(["type": "array", "items": [:]])).described(
                "As RFC 7946 says; a MultiPolygon across the antimeridian."
            ),
        ]),
    ]
}
