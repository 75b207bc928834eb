import Domain
import HTTP
import OpenAPI
import OpeningHours
import Storage

extension Parameter {
    static let category = query(
        "category",
        .list(of: .choice(PointOfInterest.Category.self), 1...),
        "One or several; all without it.",
        example: ["veterinary", "pet_shop"]
    )
}

extension Operation {
    static let places =
        tagged(.help) {
            get("/v1/pois", "searchPointsOfInterest", "Vets, pet shops, shelters nearby")
                .taking(.category, .lon, .lat, .radius, .bbox, .limit(.pois))
                .described("Around a point, nearest first, or within a box.")
                .answering(.geoJSON("Places of help.", .named("PointOfInterestCollection"), headers: [.link]))
                .exampleQuery("category=veterinary,pet_shop&lon=14.8&lat=40.8&radius=10000")
            get("/v1/pois/{id}", "getPointOfInterest", "One place of help")
                .taking(.path("id", .integer(atLeast: 1), "As a search tells it.", example: 1))
                .answering(.geoJSON("The place.", .named("PointOfInterest")))
            get("/v1/pois/{id}/street-pictures", "getStreetPictures", "Whether Mapillary has pictures of the street")
                .taking(.path("id", .integer(atLeast: 1), "As a search tells it.", example: 1))
                .described(
                    "Within about 50 m. Null where it is not known, as on servers without a token for Mapillary."
                )
                .answering(.json("The answer.", .named("StreetPictures"), headers: [.cacheControl]))
        }
        + tagged(.places) {
            get("/v1/places", "searchPlaces", "Places by name")
                .taking(
                    .query(
                        "q",
                        .queryText,
                        "A name; `S. Giovanni` and `Fisciano (SA)` are understood, and `Via Roma 12, Fisciano` where an extract of OpenStreetMap has been imported.",
                        example: "S. Giovanni"
                    )
                    .required, .lon, .lat, .lang, .acceptLanguage, .limit(.places)
                )
                .described("Near `lon` and `lat` come first among equals.")
                .answering(.geoJSON("Places, the likeliest first.", .named("PlaceCollection"), headers: [.link]))
            get("/v1/places/reverse", "reverseGeocode", "The place of a point")
                .taking(.lon.required, .lat.required, .lang, .acceptLanguage)
                .answering(.json("The place; all null on the open sea.", .named("PlaceAnswer")))
            get("/v1/breeds", "searchBreeds", "The breed list, whole or searched")
                .taking(
                    .query("q", .queryText, "The beginnings of a name in any language.", example: "pastore ted"),
                    .species,
                    .lang, .acceptLanguage, .limit(.breeds)
                )
                .answering(.json("Breeds.", .named("BreedList")))
                .exampleQuery("q=pastore%20ted&lang=it")
        }
}

extension Schema {
    static let places: [String: Schema] = [
        "PointOfInterest": feature(pointOfInterest, id: .integer(atLeast: 1)),
        "PointOfInterestCollection": collection("PointOfInterest"),
        "StreetPictures": .object(["likely": .flag.orNull]),
        "Place": feature(.object(place, optional: measures)),
        "PlaceCollection": collection("Place"),
        "PlaceAnswer": .object(
            place.merging([
                "alternatives": .list(of: .object(place, optional: measures)).described("What else it may be.")
            ]) { $1 },
            optional: measures
        ),
        "BreedList": .object(["breeds": .list(of: breed)]),
    ]

    static let pointOfInterest = Schema.object(
        [
            "category": .choice(PointOfInterest.Category.self), "name": .text().orNull,
            "address": .text().orNull, "street": .text().orNull, "house_number": .text().orNull,
            "postal_code": .text().orNull, "city": .text().orNull, "phone": .text().orNull, "phone_e164": .e164,
            "website": .text().orNull, "opening_hours": .text().orNull.described("In OpenStreetMap's syntax."),
            "osm_type": .choice(PointOfInterest.ElementType.self).orNull, "osm_id": .integer().orNull,
            "map_url": .address, "street_url": .address, "route_url": .address, "geo_uri": .address,
            "osm_url": .address.orNull,
        ],
        optional: [
            "opening_state": .choice(OpeningState.Kind.self).described(
                "At present, if `opening_hours` can be read. `unknown` is by appointment, for example."
            ),
            "opening_state_until": .timestamp.orNull.described("When the state changes; null if it never does."),
            "opening_next": .choice(OpeningState.Kind.self).orNull.described("The state after that."),
            "opening_comment": .text().orNull.described("The remark that the hours have for this time."),
            "time_zone": .text().described("The IANA time zone of the place."),
            "distance": .number().described("Metres on the ellipsoid, where a point was given."),
        ]
    )

    private static let place: [String: Schema] = [
        "locality": .text().orNull.described("The hamlet or quarter."),
        "municipality": .text().orNull.described("Where municipalities are not known, the nearest town."),
        "comune": .text().orNull.described("The same as `municipality`."), "comune_code": .text().orNull,
        "province": .text().orNull, "province_code": .text().orNull, "region": .text().orNull,
        "country": .text().orNull, "country_code": .text().orNull.described("ISO 3166-1 alpha-2."),
        "postal_code": .text().orNull, "lon": .longitude, "lat": .latitude,
    ]
    private static let measures: [String: Schema] = [
        "street": .text().described("Where an extract of OpenStreetMap has been imported."),
        "landmark": .text().described("In the place of `street`."), "house_number": .text().orNull,
        "precision": .choice(StreetAddress.Precision.self).described("What the point is that of."),
        "distance": .number().described("Metres from the point asked about."),
        "confidence": .number(0...1).described("How likely it is the right town."),
    ]

    private static let breed = Schema.object([
        "key": .text(), "name": .text(), "name_en": .text(), "name_it": .text(), "species": .choice(Species.self),
        "fci_group": .integer().orNull, "fci_number": .integer().orNull, "synonyms": .list(of: .text()),
        "recognised": .flag.described("Whether the model knows it."),
    ])
}

extension PageSize {
    static let pois = PageSize(defaultLimit: 20, maxLimit: 1000)
    static let places = PageSize(defaultLimit: 10, maxLimit: 50)
    static let breeds = PageSize(defaultLimit: 1000, maxLimit: 1000)
    /// With a search term.
    static let foundBreeds = PageSize(defaultLimit: 10, maxLimit: breeds.maxLimit)
}
