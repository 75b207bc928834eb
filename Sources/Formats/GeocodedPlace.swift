package import Domain
import Foundation

/// A place in the form that geocoders return: with OpenStreetMap's classification, a bounding box and an id.
package struct GeocodedPlace: Sendable {
    /// The kinds of places in OpenStreetMap's terms.
    package enum Kind: String, Sendable {
        case country
        case state
        case county
        case city
        case town
        case village
        case suburb
        case hamlet
        case street
        case house
        case landmark
    }

    package let place: Place
    package let kind: Kind
    /// The kind of the comune in which the place lies or which it is; nil outside of comunes.
    let settlement: Kind?
    let box: BoundingBox

    /// - Parameters:
    ///   - comune: the comune that contains the place, with its population; nil if the place is a comune itself.
    ///   - extent: nil if only an approximate box by the kind of place is known.
    package init(_ place: Place, comune: Place?, extent: BoundingBox?) {
        self.place = place
        settlement = place.comune == nil ? nil : Kind(comune: comune ?? place)
        kind =
            switch place.level {
            case _ where place.address != nil: place.address?.kind ?? .street
            case .country: .country
            case .region: .state
            case .province: .county
            case .comune: settlement ?? .village
            case .locality: settlement == .city ? .suburb : .hamlet
            }
        box = extent ?? BoundingBox(around: place.coordinate, reach: kind.reach)
    }

    /// An id that depends only on the place, not on the time or language. It fits into 31 bits, because some clients
    /// store it in 32-bit integers.
    package var id: Int {
        let point = place.coordinate
        let identity = [
            place.address.map(\.text) ?? "\(place.level)", place.countryCode ?? "",
            place.level == .country ? "" : place.name ?? "",
            "\(Int((point.lon * 10_000).rounded()))", "\(Int((point.lat * 10_000).rounded()))",
        ]
        // FNV-1a.
        let hash = identity.joined(separator: "|").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return max(1, Int(hash >> 33))
    }

    /// The names of the place and of the areas that contain it, the smallest first.
    var label: String {
        [
            place.address?.houseNumber, place.address?.name, place.locality, place.comune, place.province, place.region,
            place.postalCode, place.country,
        ]
        .compactMap(\.self).reduce(into: [String]()) { parts, name in
            if parts.last != name { parts.append(name) }
        }
        .joined(separator: ", ")
    }

    /// The name of the place itself; a house has none.
    var name: String {
        guard let address = place.address else { return place.name ?? "" }
        return kind == .house ? "" : address.name
    }

    /// The tag of OpenStreetMap.
    package var tag: (key: String, value: String) {
        guard let address = place.address else { return ("place", kind.rawValue) }
        return kind == .house ? ("place", "house") : (address.tagKey, address.tagValue)
    }

    /// Nominatim's word for the level of an address.
    var addressType: String {
        switch kind {
        case .street: "road"
        case .house: "place"
        default: tag.key
        }
    }

    /// The importance from 0 to 1, derived from the population.
    var importance: Double { min(1, 0.1 + log10(Double(place.population ?? 0) + 1) / 10) }
}

extension GeocodedPlace.Kind {
    /// Classifies a comune by its population as in OpenStreetMap; every capital of a province is a city.
    fileprivate init(comune: Place) {
        let people = comune.population ?? 0
        let isCapital = comune.provinceCode != nil && comune.comune == comune.province
        self = people >= 100_000 || isCapital ? .city : people >= 10_000 ? .town : .village
    }

    /// Nominatim's search rank.
    var rank: Int {
        switch self {
        case .country: 4
        case .state: 8
        case .county: 12
        case .city: 16
        case .town: 18
        case .village, .suburb: 19
        case .hamlet: 20
        case .street: 26
        case .house, .landmark: 30
        }
    }

    /// The type in GeocodeJSON.
    package var type: String {
        switch self {
        case .country, .state, .county: rawValue
        case .city, .town, .village: "city"
        case .suburb, .hamlet: "district"
        case .street: "street"
        // Photon's type of all that has a street.
        case .house, .landmark: "house"
        }
    }

    /// The key of the name in an address object.
    var key: StaticString {
        switch self {
        case .country: "country"
        case .state: "state"
        case .county: "county"
        case .city: "city"
        case .town: "town"
        case .village: "village"
        case .suburb: "suburb"
        case .hamlet: "hamlet"
        case .street: "road"
        case .house: "house_number"
        case .landmark: "amenity"
        }
    }

    /// The distance in degrees from the centre to the edge of the box, if no better box is known.
    fileprivate var reach: Double {
        switch self {
        case .country: 5
        case .state: 1
        case .county: 0.4
        case .city: 0.16
        case .town: 0.04
        case .village: 0.02
        case .suburb, .hamlet: 0.01
        case .street: 0.002
        case .house, .landmark: 0.0005
        }
    }
}

extension StreetAddress {
    fileprivate var kind: GeocodedPlace.Kind {
        if houseNumber != nil { return .house }
        return precision == .landmark ? .landmark : .street
    }
}
