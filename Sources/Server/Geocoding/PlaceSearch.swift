import Domain
import Gazetteer
import MapDatabase

/// Finds places by name and by position: towns and areas in the gazetteer, and streets, houses and landmarks in the
/// extracts of OpenStreetMap.
struct PlaceSearch: Sendable {
    let gazetteer: Gazetteer
    let addresses: MapAddresses

    /// How far a house or street may be from a point to be its address, in metres.
    private static let reach = 50.0

    /// - Parameter hasAddresses: whether streets, houses and landmarks are wanted.
    func places(
        called text: String,
        within filter: SearchFilter = SearchFilter(),
        hasAddresses: Bool = true,
        near: Coordinate?,
        language: Language,
        limit: Int
    ) throws -> [Place] {
        var found: [Place] = []
        if hasAddresses {
            found = try addresses.addresses(called: text, near: near, limit: limit).map { try place($0, language) }
                .filter { filter.allowsAddress($0) }
        }
        // A number that exists shows that the text means a house and no town.
        if found.first?.address?.precision == .house { return found }
        let towns =
            filter.levels?.isEmpty == true
            ? [] : try gazetteer.search(text, within: filter, near: near, language: language, limit: limit)
        // "Salerno" is the town, and "Via Roma, Salerno" the street, although the town is found, too.
        let isTown = towns.first?.hasAllWords(of: text) ?? false
        return Array((isTown ? towns + found : found + towns).prefix(limit))
    }

    /// Returns the street, house or landmark that a text names, if all of it does: "Via Argo", not "Argo".
    func address(called text: String, near: Coordinate?, language: Language) throws -> Place? {
        guard let best = try addresses.addresses(called: text, near: near, limit: 1).first, best.missingWords == 0,
            try best.address.precision == .house || !isTown(text, near, language)
        else { return nil }
        return try place(best, language)
    }

    /// Returns the streets, houses and landmarks that a text may become; the best first. Its last word may be incomplete.
    func addresses(completing text: String, near: Coordinate?, language: Language, limit: Int) throws -> [Place] {
        try addresses.addresses(called: text, near: near, limit: limit).filter { $0.unknownWords == 0 }
            .map { try place($0, language) }
    }

    private func isTown(_ text: String, _ near: Coordinate?, _ language: Language) throws -> Bool {
        let towns = try gazetteer.search(text, near: near, language: language, limit: 1)
        return towns.first?.hasAllWords(of: text) ?? false
    }

    /// Returns the house or street near a point in a place; the place itself if there is none near.
    func withAddress(_ place: Place, at point: Coordinate) throws -> Place {
        guard let match = try addresses.address(at: point, within: Self.reach) else { return place }
        var place = place
        (place.coordinate, place.distance) = (match.position, match.distance)
        place.address = match.address
        place.postalCode = match.address.postalCode ?? place.postalCode
        return place
    }

    private func place(_ match: AddressMatch, _ language: Language) throws -> Place {
        var place = try gazetteer.place(at: match.position, language: language) ?? Place(coordinate: match.position)
        if let town = match.town, place.comune?.folded != town.folded {
            // The boundaries of the extract are those of the municipalities; the gazetteer has only points of most.
            place.locality = place.locality?.folded == town.folded ? nil : place.locality
            (place.comune, place.comuneCode) = (town, nil)
        }
        place.coordinate = match.position
        place.address = match.address
        place.postalCode = match.address.postalCode ?? place.postalCode
        (place.population, place.distance, place.confidence) = (nil, nil, nil)
        return place
    }
}

extension Place {
    /// The street, house or landmark with its town, as `PlaceSearch.address` finds it again: "Via Roma 12, Fisciano".
    var addressName: String? {
        address.map { [$0.text, comune].compactMap(\.self).joined(separator: ", ") }
    }
}

extension SearchFilter {
    fileprivate func allowsAddress(_ place: Place) -> Bool {
        (countries.isEmpty || countries.contains(place.countryCode ?? ""))
            && box?.contains(place.coordinate) != false
    }
}

extension Place {
    /// Whether all words of a text are those of the place's names.
    fileprivate func hasAllWords(of text: String) -> Bool {
        let names = [locality, comune, province, provinceCode, region, country, countryCode, postalCode]
        let words = Set(names.compactMap(\.self).flatMap { $0.foldedWords() })
        return text.foldedWords().allSatisfy(words.contains)
    }
}
