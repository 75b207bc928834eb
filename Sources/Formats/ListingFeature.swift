package import Domain
package import Storage

extension JSONWriter {
    /// Writes a GeoJSON Feature (RFC 7946) directly from the row.
    ///
    /// - Parameters:
    ///   - base: The base URL of the service, inserted before the paths of photos.
    ///   - full: Whether to include the private fields: all contacts, the microchip, the secret mark and the exact
    ///     point. Otherwise, the feature contains only contacts that are public.
    ///   - titles: The titles in the language of the request; nil for a feature without a title.
    ///   - match: Writes the properties that the search adds, such as the distance.
    ///   - members: Writes the members after `properties`.
    package mutating func feature(
        _ row: ListingRow,
        base: String,
        full: Bool,
        titles: FeatureTitles? = nil,
        match: (inout JSONWriter) -> Void = { _ in },
        members: (inout JSONWriter) -> Void = { _ in }
    ) throws {
        let coordinate = try full ? row.exact ?? row.coordinate() : row.coordinate()
        object { json in
            json.field("type", "Feature")
            json.field("id", row.text(.uuid))
            json.point(coordinate)
            json.object("properties") { json in
                json.writeFields(row, full: full)
                json.writePlace(row, full: full)
                if let titles { json.field("title", titles.title(of: row)) }
                match(&json)
                if let organisation = row.string(.organisation) { json.prepared("organisation", organisation) }
                if let origin = row.text(.origin) { json.field("origin", origin) }
                json.field("created_at", row.text(.createdAt))
                json.field("updated_at", row.text(.updatedAt))
                if row.flag(.hidden) {
                    json.field("hidden", true)
                    json.field("hidden_reason", row.string(.hiddenReason))
                }
                if full {
                    if let end = row.expiresAt { json.field("expires_at", end.text) }
                    if let status = row.expiredFrom { json.field("expired_from", status.rawValue) }
                }
                json.embed("photos") { json in
                    if let photos = row.text(.photos) { json.photos(photos, base: base) }
                }
            }
            members(&json)
        }
    }

    /// Writes the public form of a listing, which `ListingSearch.findFeatures` has read.
    ///
    /// - Parameters:
    ///   - begun: The prepared feature.
    ///   - base: As above.
    ///   - titles: As above.
    ///   - match: Writes the properties that the search adds.
    package mutating func feature(
        begun: UnsafeBufferPointer<UInt8>,
        base: String,
        titles: FeatureTitles? = nil,
        match: (inout JSONWriter) -> Void = { _ in }
    ) {
        // The list of photos is the last field. It is empty in nearly all listings, which need no search for its start.
        let hasPhotos = begun.count > 2 && begun[begun.count - 2] != UInt8(ascii: "[")
        let start = hasPhotos ? begun.lastIndex(of: UInt8(ascii: "[")) ?? begun.count : begun.count
        object(begun: UnsafeBufferPointer(rebasing: begun[..<start]), end: "}}") { json in
            if start < begun.count { json.photos(UnsafeBufferPointer(rebasing: begun[start...]), base: base) }
            if let titles { json.field("title", titles.title(of: begun)) }
            match(&json)
        }
    }

    /// Writes a JSON array from the database and inserts `base` before each URL path. The only strings in the array are
    /// URL paths of this service, which begin with a slash.
    private mutating func photos(_ list: UnsafeBufferPointer<UInt8>, base: String) {
        json(list, inserting: base, between: (UInt8(ascii: "\""), UInt8(ascii: "/")))
    }

    package mutating func point(_ coordinate: Coordinate, decimals: Int? = nil) {
        object("geometry") { json in
            json.field("type", "Point")
            json.array("coordinates", [coordinate.lon, coordinate.lat]) { $0.number($1, decimals: decimals) }
        }
    }

    private static let columns = ListingField.columns.map { field in
        (field: field, key: field.definition.key, access: field.access, isFlag: field.kind == .flag)
    }

    private mutating func writeFields(_ row: ListingRow, full: Bool) {
        if row.text(.secretMark) != nil { field("asks_for_mark", true) }
        field("code", row.text(.code))
        for column in Self.columns {
            switch column.access {
            case .everybody: field(column.key, row.text(column.field))
            case .everybodyIf(let flag): field(column.key, full || row.shows(flag) ? row.text(column.field) : nil)
            case .owner where full && column.isFlag: field(column.key, row.flag(column.field))
            case .owner where full: field(column.key, row.text(column.field))
            case .owner: break
            }
            if column.field == .lastSeenAt, row.flag(.lastSeenIsDay) { field("last_seen_precision", "day") }
            if column.field == .contactPhone, full || row.shows(.contactPhonePublic),
                let e164 = row.text(.contactPhoneE164)
            {
                field("contact_phone_e164", e164)
            }
            if column.field == .breed {
                field("breed_key", row.text(.breedKey))
                field("breed_source", row.text(.breed).map { _ in row.flag(.breedPredicted) ? "photo" : "owner" })
                if let keys = row.string(.breedKeys) {
                    prepared("breed_keys", keys)
                    field("mixed", row.flag(.mixed))
                }
            }
        }
    }

    private mutating func writePlace(_ row: ListingRow, full: Bool) {
        field("locality", row.text(.locality))
        field("province", row.text(.province))
        field("province_code", row.text(.provinceCode))
        field("region", row.text(.region))
        field("country", row.text(.country))
        field("country_code", row.text(.countryCode))
        field("postal_code", row.text(.postalCode))
        field("approximate", row.flag(.approximate))
        if full || row.isCell { field("location_precision", row.flag(.approximate) ? "approximate" : "exact") }
    }
}
