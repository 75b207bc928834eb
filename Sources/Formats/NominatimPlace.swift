import Domain

/// The response formats of Nominatim.
package enum NominatimFormat: String, CaseIterable, Sendable {
    case json
    case jsonv2
    case geojson
    case geocodejson
}

/// The optional parts of a response.
package struct NominatimDetails: Sendable {
    package var hasAddress: Bool
    package var hasNames: Bool
    package var hasTags: Bool

    package init(hasAddress: Bool, hasNames: Bool, hasTags: Bool) {
        (self.hasAddress, self.hasNames, self.hasTags) = (hasAddress, hasNames, hasTags)
    }
}

extension JSONWriter {
    /// The attribution of the data.
    private static let licence =
        "Places © GeoNames, CC BY 4.0; outlines: Natural Earth; streets: © OpenStreetMap contributors, ODbL"

    /// Writes the response to a search.
    package mutating func nominatim(_ places: [GeocodedPlace], _ format: NominatimFormat, _ details: NominatimDetails) {
        switch format {
        case .json, .jsonv2: array(places) { json, place in json.nominatim(place, format, details) }
        case .geojson: features(places) { json, place in json.nominatimFeature(place, details) }
        case .geocodejson: geocoding(places, details)
        }
    }

    /// Writes the response to a reverse search, which is a single place.
    package mutating func nominatim(_ place: GeocodedPlace, _ format: NominatimFormat, _ details: NominatimDetails) {
        guard format == .json || format == .jsonv2 else { return nominatim([place], format, details) }
        object { json in
            json.field("place_id", place.id)
            json.field("licence", Self.licence)
            json.field("lat", place.place.coordinate.lat.degrees)
            json.field("lon", place.place.coordinate.lon.degrees)
            json.classes(place, class: format == .json ? "class" : "category")
            let box = place.box
            let sides = [box.southWest.lat, box.northEast.lat, box.southWest.lon, box.northEast.lon]
            json.details(place, details)
            json.array("boundingbox", sides) { json, side in json.string(side.degrees) }
        }
    }

    private mutating func features(_ places: [GeocodedPlace], _ write: (inout JSONWriter, GeocodedPlace) -> Void) {
        object { json in
            json.field("type", "FeatureCollection")
            json.field("licence", Self.licence)
            json.array("features", places, write)
        }
    }

    private mutating func nominatimFeature(_ place: GeocodedPlace, _ details: NominatimDetails) {
        object { json in
            json.field("type", "Feature")
            json.object("properties") { json in
                json.field("place_id", place.id)
                json.classes(place, class: "category")
                json.details(place, details)
            }
            json.box("bbox", place.box)
            json.point(place.place.coordinate)
        }
    }

    /// Writes GeocodeJSON, version 0.1.0.
    private mutating func geocoding(_ places: [GeocodedPlace], _ details: NominatimDetails) {
        object { json in
            json.field("type", "FeatureCollection")
            json.object("geocoding") { json in
                json.field("version", "0.1.0")
                json.field("attribution", Self.licence)
                json.field("licence", "CC BY 4.0")
            }
            json.objects("features", places) { json, place in
                json.field("type", "Feature")
                json.object("properties") { json in
                    json.object("geocoding") { json in
                        json.field("place_id", place.id)
                        json.field("osm_key", place.classification.key)
                        json.field("osm_value", place.classification.value)
                        json.field("type", place.kind.type)
                        json.field("label", place.label)
                        json.field("name", place.name)
                        if details.hasAddress {
                            json.surroundings(place.place)
                            json.countryCode(place.place)
                        }
                    }
                }
                json.point(place.place.coordinate)
            }
        }
    }

    private mutating func classes(_ place: GeocodedPlace, class name: StaticString) {
        field(name, place.classification.key)
        field("type", place.classification.value)
        field("place_rank", place.kind.rank)
        field("importance", place.importance, decimals: 5)
        field("addresstype", place.place.address == nil ? place.kind.rawValue : place.addressType)
        field("name", place.name)
        field("display_name", place.label)
    }

    private mutating func details(_ place: GeocodedPlace, _ details: NominatimDetails) {
        if details.hasAddress { object("address") { $0.address(place) } }
        if details.hasTags {
            object("extratags") { json in
                if let people = place.place.population { json.field("population", String(people)) }
            }
        }
        if details.hasNames { object("namedetails") { $0.field("name", place.name) } }
    }

    private mutating func address(_ geocoded: GeocodedPlace) {
        let place = geocoded.place
        if let address = place.address {
            if let number = address.houseNumber { field("house_number", number) }
            field(address.precision == .landmark ? "amenity" : "road", address.name)
            if let name = place.locality { field("suburb", name) }
        } else if let name = place.locality {
            field(geocoded.kind.key, name)
        }
        if let name = place.comune, let settlement = geocoded.settlement { field(settlement.key, name) }
        if let name = place.province { field("county", name) }
        if let code = place.provinceISO { field("ISO3166-2-lvl6", code) }
        if let name = place.region { field("state", name) }
        if let code = place.regionISO { field("ISO3166-2-lvl4", code) }
        if let code = place.postalCode { field("postcode", code) }
        if let name = place.country { field("country", name) }
        countryCode(place)
    }

    /// Writes the names of the areas that contain the place, which GeocodeJSON and Photon have in common.
    mutating func surroundings(_ place: Place) {
        if let code = place.postalCode { field("postcode", code) }
        if place.level < .comune, let name = place.comune { field("city", name) }
        if place.level < .province, let name = place.province { field("county", name) }
        if place.level < .region, let name = place.region { field("state", name) }
        if let name = place.country { field("country", name) }
    }

    private mutating func countryCode(_ place: Place) {
        if let code = place.countryCode { field("country_code", code.lowercased()) }
    }

    /// In the order west, south, east, north.
    private mutating func box(_ name: StaticString, _ box: BoundingBox) {
        let sides = [box.southWest.lon, box.southWest.lat, box.northEast.lon, box.northEast.lat]
        array(name, sides) { json, side in json.number(side, decimals: 7) }
    }
}

extension GeocodedPlace {
    /// The main tag that the place has in Nominatim.
    fileprivate var classification: (key: String, value: String) {
        place.address == nil && place.level > .comune ? ("boundary", "administrative") : tag
    }
}

extension Place {
    /// The ISO 3166-2 code of an Italian province.
    fileprivate var provinceISO: String? {
        guard countryCode == "IT", let code = provinceCode, code.utf8.count == 2 else { return nil }
        return "IT-" + code
    }

    /// The ISO 3166-2 code of an Italian region.
    fileprivate var regionISO: String? {
        guard countryCode == "IT", let name = region?.prefix(while: { $0 != "/" }) else { return nil }
        return Self.italianRegions[String(name)].map { "IT-\($0)" }
    }

    private static let italianRegions = [
        "Piemonte": 21, "Valle d'Aosta": 23, "Lombardia": 25, "Trentino-Alto Adige": 32, "Veneto": 34,
        "Friuli-Venezia Giulia": 36, "Liguria": 42, "Emilia-Romagna": 45, "Toscana": 52, "Umbria": 55, "Marche": 57,
        "Lazio": 62, "Abruzzo": 65, "Molise": 67, "Campania": 72, "Puglia": 75, "Basilicata": 77, "Calabria": 78,
        "Sicilia": 82, "Sardegna": 88,
    ]
}

extension Double {
    /// The number with seven decimals and without an exponent.
    fileprivate var degrees: String {
        let units = Int((magnitude * 1e7).rounded())
        let decimals = String(units % 10_000_000)
        return (self < 0 ? "-" : "") + "\(units / 10_000_000)."
            + String(repeating: "0", count: 7 - decimals.utf8.count) + decimals
    }
}
