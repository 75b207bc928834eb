extension Organisation.Content {
    /// Adds the contacts and the place of the organisation, which are public, to the fields of a listing that has none.
    package func complete(_ fields: inout [String: JSONValue]) {
        for (name, value) in zip(["contact_name", "contact_phone", "contact_email"], [name, phone, email])
        where fields[name] == nil {
            guard let value else { continue }
            (fields[name], fields[name + "_public"]) = (.string(value), .bool(true))
        }
        guard ["lon", "lat", "place", "whereabouts"].allSatisfy({ fields[$0] == nil }) else { return }
        if let point {
            (fields["lon"], fields["lat"]) = (.number(point.lon), .number(point.lat))
            fields["location_precision"] = .string("exact")
        } else if let address {
            fields["place"] = .string(address)
        }
    }
}
