import Domain
import Foundation
import MapDatabase

/// The meanings of OpenStreetMap's tags for the map.
///
/// Source: the pages "Map features" and "Key:place" of the OpenStreetMap wiki.
enum MapTags {
    static let keys: Set = [
        "aeroway", "addr:housenumber", "amenity", "boundary", "building", "highway", "historic", "landuse", "leisure",
        "man_made", "natural", "place", "railway", "shop", "tourism", "waterway",
    ]

    /// The most detailed zoom level.
    private static let end = 19

    // MARK: - Lines

    static func line(_ tags: Tags) -> (kind: MapFeature.Kind, from: Int)? {
        if let road = tags["highway"].flatMap({ roads[$0] }) { return road }
        if tags["natural"] == "coastline" { return (.coastline, 8) }
        // Underground.
        guard tags["tunnel"] == nil || tags["tunnel"] == "no" else { return nil }
        switch (tags["railway"], tags["waterway"]) {
        case ("rail", _): return tags["service"] == nil ? (.rail, 10) : (.rail, 14)
        case ("light_rail", _), ("tram", _), ("narrow_gauge", _), ("funicular", _): return (.rail, 13)
        case (_, "river"): return (.river, 9)
        case (_, "canal"): return (.river, 11)
        case (_, "stream"): return (.stream, 13)
        default: return nil
        }
    }

    private static let roads: [String: (kind: MapFeature.Kind, from: Int)] = [
        "motorway": (.motorway, 7), "motorway_link": (.motorway, 12), "trunk": (.trunk, 8), "trunk_link": (.trunk, 12),
        "primary": (.primary, 9), "primary_link": (.primary, 13), "secondary": (.secondary, 10),
        "secondary_link": (.secondary, 13), "tertiary": (.tertiary, 11), "tertiary_link": (.tertiary, 13),
        "residential": (.street, 13), "unclassified": (.street, 12), "living_street": (.street, 13),
        "pedestrian": (.street, 14), "road": (.street, 13), "service": (.service, 14), "track": (.track, 14),
        "footway": (.path, 15), "path": (.path, 15), "cycleway": (.path, 15), "steps": (.path, 16),
        "bridleway": (.path, 15),
    ]

    // MARK: - Areas

    static func area(_ tags: Tags) -> MapFeature.Kind? {
        if let building = tags["building"], building != "no" { return .building }
        if tags["highway"] == "pedestrian" || tags["place"] == "square" { return .square }
        if tags["waterway"] == "riverbank" { return .water }
        for (key, kinds) in areas {
            if let kind = tags[key].flatMap({ kinds[$0] }) { return kind }
        }
        return nil
    }

    private static let areas: [(key: String, kinds: [String: MapFeature.Kind])] = [
        (
            "natural",
            [
                "water": .water, "wood": .wood, "scrub": .wood, "wetland": .wetland, "beach": .sand, "sand": .sand,
                "shingle": .sand, "grassland": .grass, "heath": .grass, "fell": .grass, "glacier": .water,
            ]
        ),
        (
            "landuse",
            [
                "forest": .wood, "reservoir": .water, "basin": .water, "grass": .grass, "meadow": .grass,
                "recreation_ground": .grass, "village_green": .grass, "cemetery": .grass, "allotments": .grass,
                "residential": .residential, "commercial": .residential, "retail": .residential,
                "industrial": .residential, "farmland": .farmland, "orchard": .farmland, "vineyard": .farmland,
                "farmyard": .residential,
            ]
        ),
        (
            "leisure",
            [
                "park": .grass, "garden": .grass, "golf_course": .grass, "pitch": .grass, "dog_park": .grass,
                "nature_reserve": .grass, "playground": .grass, "swimming_pool": .water,
            ]
        ),
        ("amenity", ["grave_yard": .grass]),
    ]

    /// Returns the zoom level from which on an area is at least some pixels wide.
    static func firstZoom(_ kind: MapFeature.Kind, _ box: BoundingBox) -> Int {
        if kind == .building { return 15 }
        let degrees = max(box.northEast.lon - box.southWest.lon, box.northEast.lat - box.southWest.lat)
        let pixels = 8.0
        let zoom = Int(log2(pixels * 360 / 256 / max(degrees, 1e-6)).rounded(.up))
        return min(15, max(8, zoom))
    }

    // MARK: - Names

    /// The kind of a settlement or part of one, and its label's first zoom level.
    static func settlement(_ tags: Tags) -> (kind: MapFeature.Kind, from: Int)? {
        switch tags["place"] {
        case "city": (.city, 7)
        case "town": (.town, 9)
        case "village": (.village, 11)
        case "suburb", "quarter": (.quarter, 13)
        case "neighbourhood": (.quarter, 14)
        case "hamlet": (.hamlet, 13)
        case "isolated_dwelling", "locality", "islet", "island", "square": (.locality, 15)
        default: nil
        }
    }

    /// The tag of a landmark that people name when they describe a place, and its label's first zoom level.
    static func landmark(_ tags: Tags) -> (tag: (key: String, value: String), from: Int)? {
        for (key, values) in landmarks {
            if let value = tags[key], let zoom = values[value] { return ((key, value), zoom) }
        }
        return nil
    }

    private static let landmarks: [(key: String, values: [String: Int])] = [
        (
            "amenity",
            [
                "hospital": 14, "university": 15, "clinic": 16, "school": 16, "college": 16, "townhall": 15,
                "place_of_worship": 16, "police": 16, "fire_station": 16, "library": 17, "theatre": 16, "cinema": 17,
                "marketplace": 16, "bus_station": 15, "ferry_terminal": 15, "post_office": 17, "pharmacy": 17,
                "veterinary": 16, "animal_shelter": 15, "fuel": 17, "grave_yard": 16, "kindergarten": 17,
            ]
        ),
        ("railway", ["station": 14, "halt": 15]), ("aeroway", ["aerodrome": 12]),
        (
            "leisure",
            [
                "park": 15, "stadium": 15, "sports_centre": 16, "nature_reserve": 13, "garden": 16, "golf_course": 15,
                "dog_park": 16, "marina": 15,
            ]
        ),
        (
            "tourism",
            [
                "museum": 16, "attraction": 16, "zoo": 15, "theme_park": 15, "camp_site": 16, "hotel": 17,
                "viewpoint": 17,
            ]
        ), ("historic", ["castle": 15, "monument": 16, "ruins": 16, "archaeological_site": 16, "fort": 15]),
        ("shop", ["mall": 15, "supermarket": 17, "pet": 17]),
        ("natural", ["peak": 13, "beach": 15, "bay": 13, "spring": 17, "wood": 15, "water": 14]),
        ("landuse", ["cemetery": 16, "forest": 14, "reservoir": 14, "industrial": 15]),
        ("man_made", ["lighthouse": 16]),
        (
            "place",
            [
                "suburb": 13, "quarter": 13, "neighbourhood": 14, "hamlet": 13, "isolated_dwelling": 15, "locality": 15,
                "square": 15, "village": 11, "town": 9, "city": 7, "island": 12, "islet": 15,
            ]
        ),
    ]

    // MARK: - Texts

    /// The name and other names of the same thing.
    static func names(_ tags: Tags) -> (name: String, others: [String])? {
        guard let name = tags.text("name", "name:it", "name:en") else { return nil }
        let keys = [
            "name:it", "name:en", "name:de", "name:fr", "int_name", "alt_name", "old_name", "short_name",
            "official_name", "loc_name",
        ]
        return (name, keys.compactMap { tags.text($0) }.filter { $0 != name })
    }

    static func houseNumber(_ tags: Tags, at point: Coordinate) -> MapDatabaseWriter.HouseNumber? {
        guard let number = tags.text("addr:housenumber"), let street = tags.text("addr:street", "addr:place") else {
            return nil
        }
        return MapDatabaseWriter.HouseNumber(
            number: number,
            street: street,
            city: tags.text("addr:city"),
            postalCode: tags.text("addr:postcode"),
            position: point
        )
    }

    /// The lowest level of boundaries that is that of municipalities in most countries of Europe and the Americas.
    static func isMunicipality(_ tags: Tags) -> Bool {
        tags["boundary"] == "administrative" && tags["admin_level"] == "8"
    }
}
