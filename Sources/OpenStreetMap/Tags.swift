import Domain

extension PointOfInterest {
    private static let longest = 300

    /// What the tags say it is; nil for what is none of our categories, or no longer there.
    init?(tags: [String: String], at coordinate: Coordinate, element: Element?) {
        guard let category = Category(tags: tags) else { return nil }
        self.init(category: category, coordinate: coordinate)
        func first(_ keys: String...) -> String? {
            for key in keys {
                if let value = tags[key]?.trimmed, !value.isEmpty { return String(value.prefix(Self.longest)) }
            }
            return nil
        }
        self.element = element
        name = first("name", "brand", "operator")
        street = first("addr:street", "addr:place")
        houseNumber = first("addr:housenumber")
        postalCode = first("addr:postcode")
        city = first("addr:city")
        phone = first("phone", "contact:phone", "contact:mobile", "mobile")
        website = first("website", "contact:website", "url").flatMap(Self.webAddress)
        openingHours = first("opening_hours")
    }

    /// Only addresses a browser may follow safely; bare domains become https.
    private static func webAddress(_ text: String) -> String? {
        let lower = text.lowercased()
        guard !text.contains(where: \.isWhitespace) else { return nil }
        if lower.hasPrefix("http://") || lower.hasPrefix("https://") { return text }
        return lower.contains(".") && !lower.contains(":") ? "https://" + text : nil
    }
}

extension PointOfInterest.Category {
    init?(tags: [String: String]) {
        guard tags["disused"] != "yes", tags["abandoned"] != "yes" else { return nil }
        func says(_ key: String, _ wanted: String...) -> Bool {
            guard let value = tags[key] else { return false }
            return value.split(separator: ";").contains { wanted.contains(String($0.trimmed)) }
        }
        if says("amenity", "veterinary") {
            self = .veterinary
        } else if says("amenity", "animal_shelter") {
            self = .animalShelter
        } else if says("amenity", "animal_boarding") {
            self = .animalBoarding
        } else if says("shop", "pet") {
            self = .petShop
        } else if says("shop", "pet_grooming", "dog_grooming") {
            self = .grooming
        } else if says("leisure", "dog_park") {
            self = .dogPark
        } else {
            return nil
        }
    }
}
