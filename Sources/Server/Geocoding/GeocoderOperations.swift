import Domain
import Formats
import OpenAPI

extension Operation {
    static let geocoders = tagged(.geocoders) {
        get("/nominatim/search", "nominatimSearch", "Places by name, for clients of Nominatim")
            .taking(
                .nominatim([
                    .query("q", .text(), "A name, or latitude and longitude.", example: "Fisciano"),
                    .query("street", .text(), "A street, with or without a number."),
                    .query("city", .text(), "A town."),
                    .query("county", .text(), "A province."), .query("state", .text(), "A region."),
                    .query("country", .text(), "A country."), .query("postalcode", .text(), "A postal code."), .format,
                    .clamped("limit", 1...NominatimRoutes.maxPlaces, usual: 10),
                    .query("countrycodes", .text(), "Countries by their two letters, with commas.", example: "it"),
                    .query("featureType", .choice(NominatimFeatureType.self), "What it may be."),
                    .query(
                        "viewbox",
                        .list(of: .number(), 4...4),
                        "Two corners, longitude before latitude: what lies there comes first.",
                        example: [14, 40, 15, 41]
                    ), .query("viewboxlbrt", .list(of: .number(), 4...4), "The older name of `viewbox`."),
                    .flag("bounded", "Whether only what lies in `viewbox` is told."),
                    .query("exclude_place_ids", .text(), "Numbers of places that are not wanted, with commas."),
                    .nominatimLanguage, .layer,
                ])
            )
            .described(
                """
                Either `q` or its parts. Streets and houses are those of the extracts of OpenStreetMap that have been imported; \
                elsewhere the town answers for them. Unknown parameters are left alone.
                """
            )
            .answering(
                .json("Places, in the shape that `format` says.", .named("NominatimAnswer")),
                .json(status: 400, "Something asked is not as expected.", .named("NominatimError"))
            )
            .exampleQuery("q=Fisciano&format=jsonv2")
            .lenient
        get("/nominatim/reverse", "nominatimReverse", "The place of a point, for clients of Nominatim")
            .taking(
                .nominatim([
                    .lat.required, .lon.required, .format,
                    .query(
                        "zoom",
                        .number(),
                        "How fine, from 0, a country, to 18; what lies beyond counts as the end.",
                        example: 18
                    ),
                    .nominatimLanguage, .layer,
                ])
            )
            .described("Unknown parameters are left alone, as geocoders do.")
            .answering(
                .json("Places, in the shape that `format` says.", .named("NominatimAnswer")),
                .json(status: 400, "Something asked is not as expected.", .named("NominatimError"))
            )
            .lenient
        get("/nominatim/status", "nominatimStatus", "Whether it works, for clients of Nominatim")
            .taking(.query("format", .text(), "`json`, else it answers in plain text.", example: "json"))
            .answering(
                .json("It does.", .object(["status": .integer(), "message": .text()])).or(type: "text/plain")
            )
            .exampleQuery("format=json")
            .lenient
        get("/photon/api", "photonSearch", "Places by name, for clients of Photon")
            .taking(
                .query("q", .text(pattern: #"\S"#), "A name.", example: "Fisciano").required,
                .lat, .lon, .clamped("limit", PhotonRoutes.limits, usual: 15), .photonLanguage, .bbox, .photonLayer,
                .tag,
                .query("countrycode", .text(), "Countries by their two letters, with commas.", example: "it")
            )
            .described("Unknown parameters are left alone.")
            .answering(
                .json("Places.", .named("PhotonAnswer")),
                .json(status: 400, "Something asked is not as expected.", .object(["message": .text()]))
            )
            .lenient
        get("/photon/reverse", "photonReverse", "The places of a point, for clients of Photon")
            .taking(
                .lat.required, .lon.required,
                .query("radius", .number(0...PhotonRoutes.maxRadius), "Kilometres.", example: 5),
                .clamped("limit", PhotonRoutes.limits, usual: 1), .photonLanguage, .photonLayer, .tag
            )
            .described("Unknown parameters are left alone.")
            .answering(
                .json("Places.", .named("PhotonAnswer")),
                .json(status: 400, "Something asked is not as expected.", .object(["message": .text()]))
            )
            .lenient
    }.map(\.allowingEmpty)
}

extension Parameter {
    fileprivate static let format = query(
        "format",
        .choice(NominatimFormat.self),
        "The shape of the answer; there is no XML.",
        example: "jsonv2"
    )
    fileprivate static let nominatimLanguage = query(
        "accept-language",
        .text(),
        "Languages, which count before the header of that name.",
        example: "it"
    )
    fileprivate static let layer = query(
        "layer",
        .text(),
        "What is looked for; only `address` is known here, and without it nothing is found.",
        example: "address"
    )
    fileprivate static let photonLanguage = query("lang", .text(), "A language.", example: "it")
    fileprivate static let photonLayer = query(
        "layer",
        .list(of: .choice(PhotonLayer.self)),
        "What it may be.",
        example: ["city"]
    )
    fileprivate static let tag = query(
        "osm_tag",
        .text(),
        "`key`, `:value` or `key:value`, after `!` for the opposite; may be repeated.",
        example: "place:city"
    )

    fileprivate static func flag(_ name: String, _ description: String) -> Parameter {
        query(name, .text(), description + " `0` and `false` mean no, all else yes.", example: "1")
    }

    fileprivate static func clamped(_ name: String, _ range: ClosedRange<Int>, usual: Int) -> Parameter {
        query(
            name,
            .number().with("default", JSONValue(usual)),
            "How many at most; what lies beyond \(range.lowerBound) and \(range.upperBound) counts as the end.",
            example: 5
        )
    }
}

extension [Parameter] {
    fileprivate static func nominatim(_ own: [Parameter]) -> [Parameter] {
        own + [
            .flag("addressdetails", "Whether the parts of the address are told."),
            .flag("namedetails", "Whether names are told by themselves."),
            .flag("extratags", "Whether more is told, such as the population."),
        ]
    }
}

extension Schema {
    static let geocoders: [String: Schema] = [
        "NominatimAnswer": .any(of: [
            .list(of: .named("NominatimPlace")), .named("NominatimPlace"), .named("NominatimFeatures"),
            .object(["error": .text()]),
        ]),
        "NominatimPlace": .object(
            [
                "place_id": .integer(), "licence": .text(), "lat": .text(), "lon": .text(),
                "boundingbox": .list(of: .text(), 4...4).described("South, north, west, east."),
            ].merging(nominatimNames) { $1 },
            optional: [
                "class": .text().described("In the format `json` only."),
                "category": .text().described("In the format `jsonv2` only."),
            ].merging(nominatimDetails) { $1 }
        ),
        "NominatimFeatures": .object(
            [
                "type": .choice(["FeatureCollection"]),
                "features": .list(of: .any(of: [nominatimFeature, geocodeFeature])),
            ],
            optional: [
                "licence": .text(),
                "geocoding": .object(["version": .text(), "attribution": .text(), "licence": .text()]),
            ]
        ),
        "NominatimError": .object(["error": .object(["code": .integer(), "message": .text()])]),
        "PhotonAnswer": .object(["type": .choice(["FeatureCollection"]), "features": .list(of: photonFeature)]),
    ]

    private static let nominatimNames: [String: Schema] = [
        "type": .text(), "place_rank": .integer(), "importance": .number(0...1), "addresstype": .text(),
        "name": .text(), "display_name": .text(),
    ]
    private static let nominatimDetails: [String: Schema] = [
        "address": .object([:]).with("additionalProperties", ["type": "string"]),
        "extratags": .object([:], optional: ["population": .text()]), "namedetails": .object(["name": .text()]),
    ]
    private static let nominatimFeature = feature(
        .object(
            ["place_id": .integer(), "category": .text()].merging(nominatimNames) { $1 },
            optional: nominatimDetails
        ),
        hasBox: true
    )
    private static let geocodeFeature = feature(
        .object([
            "geocoding": .object(
                [
                    "place_id": .integer(), "osm_key": .text(), "osm_value": .text(), "type": .text(), "label": .text(),
                    "name": .text(),
                ],
                optional: surroundings.merging(["country_code": .text()]) { $1 }
            )
        ])
    )
    private static let photonFeature = feature(
        .object(
            [
                "osm_key": .text(), "osm_value": .text(), "type": .text(), "name": .text(),
                "extent": .list(of: .number(), 4...4).described("West, north, east, south."),
            ],
            optional: surroundings.merging(["countrycode": .text()]) { $1 }
        )
    )
    private static let surroundings: [String: Schema] = [
        "housenumber": .text(), "street": .text(), "district": .text(), "postcode": .text(), "city": .text(),
        "county": .text(), "state": .text(), "country": .text(),
    ]
}
