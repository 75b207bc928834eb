package import Domain
import Storage

extension JSONWriter {
    /// A GeoJSON Feature (RFC 7946). Contacts go out where they are public, and always, with the microchip, to the owner.
    package mutating func feature(_ listing: Listing, distance: Double? = nil, full: Bool) {
        object { json in
            json.field("type", "Feature")
            json.field("id", listing.id.lowercased)
            json.point(listing.location.coordinate)
            json.object("properties") { json in
                json.write(listing.content, full: full)
                json.write(listing.location)
                if let distance { json.field("distance", distance, decimals: 3) }
                json.field("created_at", listing.createdAt.text)
                json.field("updated_at", listing.updatedAt.text)
                if listing.hidden { json.field("hidden", true) }
            }
        }
    }

    package mutating func point(_ coordinate: Coordinate) {
        object("geometry") { json in
            json.field("type", "Point")
            json.array("coordinates", [coordinate.lon, coordinate.lat]) { $0.number($1) }
        }
    }

    private mutating func write(_ content: ListingContent, full: Bool) {
        field("status", content.status?.rawValue)
        field("species", content.species.rawValue)
        field("name", content.name)
        field("breed", content.breed)
        field("breed_key", content.breedKey)
        field("sex", content.sex?.rawValue)
        field("size", content.size?.rawValue)
        field("colour", content.colour)
        field("age", content.age)
        field("marks", content.marks)
        field("description", content.description)
        field("last_seen_at", content.lastSeenAt?.text)
        contact("contact_name", content.contactName, full: full)
        contact("contact_phone", content.contactPhone, full: full)
        contact("contact_email", content.contactEmail, full: full)
        if full {
            field("microchip", content.microchip)
            field("reference", content.reference)
        }
    }

    private mutating func contact(_ name: String, _ contact: ListingContent.Contact, full: Bool) {
        field(name, full || contact.isPublic ? contact.value : nil)
        if full { field(name + "_public", contact.isPublic) }
    }

    private mutating func write(_ location: ListingLocation) {
        field("place", location.place)
        field("locality", location.locality)
        field("province", location.province)
        field("province_code", location.provinceCode)
        field("region", location.region)
        field("country", location.country)
        field("country_code", location.countryCode)
        field("postal_code", location.postalCode)
        field("approximate", location.approximate)
    }
}
