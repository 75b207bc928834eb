package import Domain

extension JSONWriter {
    /// Writes the fields of a place into the present object.
    package mutating func fields(_ place: Place) {
        if let address = place.address {
            field(address.precision == .landmark ? "landmark" : "street", address.name)
            field("house_number", address.houseNumber)
            field("precision", address.precision.rawValue)
        }
        field("locality", place.locality)
        field("municipality", place.comune)
        field("comune", place.comune)
        field("comune_code", place.comuneCode)
        field("province", place.province)
        field("province_code", place.provinceCode)
        field("region", place.region)
        field("country", place.country)
        field("country_code", place.countryCode)
        field("postal_code", place.postalCode)
        field("lon", place.coordinate.lon)
        field("lat", place.coordinate.lat)
        if let distance = place.distance { field("distance", distance, decimals: 0) }
        if let confidence = place.confidence { field("confidence", confidence, decimals: 3) }
    }

    /// Writes the place at a point and the alternatives.
    package mutating func answer(_ place: Place, alternatives: [Place]) {
        object { json in
            json.fields(place)
            json.objects("alternatives", alternatives) { $0.fields($1) }
        }
    }

    /// Writes a GeoJSON Feature.
    package mutating func feature(_ place: Place) {
        object { json in
            json.field("type", "Feature")
            json.point(place.coordinate)
            json.object("properties") { $0.fields(place) }
        }
    }
}
