extension JSONWriter {
    /// Writes places in Photon's format.
    package mutating func photon(_ places: [GeocodedPlace]) {
        object { json in
            json.field("type", "FeatureCollection")
            json.array("features", places) { json, place in json.photon(place) }
        }
    }

    private mutating func photon(_ place: GeocodedPlace) {
        object { json in
            json.field("type", "Feature")
            json.object("properties") { json in
                json.field("osm_key", place.tag.key)
                json.field("osm_value", place.tag.value)
                json.field("type", place.kind.type)
                json.field("name", place.name)
                if let number = place.place.address?.houseNumber { json.field("housenumber", number) }
                if let address = place.place.address, address.precision != .landmark {
                    json.field("street", address.name)
                }
                if place.place.address != nil, let name = place.place.locality { json.field("district", name) }
                json.surroundings(place.place)
                if let code = place.place.countryCode { json.field("countrycode", code) }
                // In the order west, north, east, south.
                let (southWest, northEast) = (place.box.southWest, place.box.northEast)
                let sides = [southWest.lon, northEast.lat, northEast.lon, southWest.lat]
                json.array("extent", sides) { json, side in json.number(side, decimals: 7) }
            }
            json.point(place.place.coordinate)
        }
    }
}
