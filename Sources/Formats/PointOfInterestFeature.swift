package import Domain
package import OpeningHours
package import Storage

extension JSONWriter {
    /// Writes a GeoJSON Feature with links to maps, street images and directions.
    ///
    /// - Parameters:
    ///   - country: returns the country at a point, for telephone numbers without a country code.
    ///   - opening: whether the place is open at present.
    ///   - members: writes additional members after the properties.
    package mutating func feature(
        _ entry: PointOfInterestStore.Entry,
        country: (Coordinate) -> String?,
        opening: OpeningState? = nil,
        members: (inout JSONWriter) -> Void = { _ in }
    ) {
        let poi = entry.poi
        object { json in
            json.field("type", "Feature")
            json.field("id", Int(entry.key))
            json.point(poi.coordinate)
            json.object("properties") { json in
                json.field("category", poi.category.rawValue)
                json.field("name", poi.name)
                json.field("address", poi.address)
                json.field("street", poi.street)
                json.field("house_number", poi.houseNumber)
                json.field("postal_code", poi.postalCode)
                json.field("city", poi.city)
                json.field("phone", poi.phone)
                json.field("phone_e164", TelephoneNumber.e164(of: poi.phone, in: country(poi.coordinate)))
                json.field("website", poi.website)
                json.field("opening_hours", poi.openingHours)
                if let opening { json.fields(opening) }
                json.field("osm_type", poi.element?.type.rawValue)
                json.field("osm_id", (poi.element?.id).map(Int.init))
                if let distance = entry.distance { json.field("distance", distance, decimals: 3) }
                json.links(poi)
            }
            members(&json)
        }
    }

    private mutating func fields(_ opening: OpeningState) {
        field("opening_state", opening.kind.rawValue)
        field("opening_state_until", opening.until?.text)
        field("opening_next", opening.next?.rawValue)
        field("opening_comment", opening.comment)
        field("time_zone", opening.zone.identifier)
    }

    private mutating func links(_ poi: PointOfInterest) {
        let lat = poi.coordinate.lat
        let lon = poi.coordinate.lon
        field("map_url", "https://www.openstreetmap.org/?mlat=\(lat)&mlon=\(lon)#map=18/\(lat)/\(lon)")
        field("street_url", "https://www.mapillary.com/app/?lat=\(lat)&lng=\(lon)&z=17")
        field("route_url", "https://www.openstreetmap.org/directions?to=\(lat)%2C\(lon)")
        field("geo_uri", "geo:\(lat),\(lon)")
        field("osm_url", poi.element.map { "https://www.openstreetmap.org/\($0.type.rawValue)/\($0.id)" })
    }
}

extension PointOfInterest {
    /// Street and number, then postal code and city, as far as they are known.
    package var address: String? {
        let lines = [[street, houseNumber], [postalCode, city]]
            .map { $0.compactMap(\.self).joined(separator: " ") }
            .filter { !$0.isEmpty }
        return lines.isEmpty ? nil : lines.joined(separator: ", ")
    }
}
