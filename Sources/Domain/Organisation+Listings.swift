extension Organisation.Content {
    /// Adds the contacts and the place of the organisation, which are public, to the fields of a listing that has none.
    package func complete(_ fields: inout [String: JSONValue]) {
        for (name, value) in zip(["contact_name", "contact_phone", "contact_email"], [name, phone, email])
        where fields[name] == nil {
            guard let value else { continue }
            (fields[name], fields[name + "_public"]) = (.string(value), .bool(true))
        }
        let isEmpty = { (name: String) in fields[name] == nil || fields[name] == "" }
        guard ["lon", "lat", "place", "whereabouts"].allSatisfy(isEmpty) else { return }
        if let point {
            (fields["lon"], fields["lat"]) = (.number(point.lon), .number(point.lat))
            fields["location_precision"] = .string("exact")
        } else if let address {
            fields["place"] = .string(address)
        }
    }
}

extension [String: JSONValue] {
    /// Lets everybody see the telephone number and e-mail address among the fields of a listing, unless they say so themselves.
    package mutating func showContacts() {
        for name in ["contact_phone", "contact_email"] where self[name] != nil && self[name + "_public"] == nil {
            self[name + "_public"] = .bool(true)
        }
    }
}
