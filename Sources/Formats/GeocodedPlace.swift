package import Domain
import Foundation

/// A place as geocoders tell of it: what OpenStreetMap would call it, around which box, under which number.
package struct GeocodedPlace: Sendable {
    /// The words of OpenStreetMap for what a place is.
    package enum Kind: String, Sendable {
        case country
        case state
        case county
        case city
        case town
        case village
        case suburb
        case hamlet
    }

    package let place: Place
    package let kind: Kind
    /// What its comune is, where it lies in one or is one.
    let settlement: Kind?
    let box: BoundingBox

    /// - Parameters:
    ///   - comune: the comune that it lies in, with its people, where it is not one itself.
    ///   - extent: nil where only a box by its kind is known.
    package init(_ place: Place, comune: Place?, extent: BoundingBox?) {
        self.place = place
        settlement = place.comune == nil ? nil : Kind(comune: comune ?? place)
        kind =
            switch place.level {
            case .country: .country
            case .region: .state
            case .province: .county
            case .comune: settlement ?? .village
            case .locality: settlement == .city ? .suburb : .hamlet
            }
        box = extent ?? BoundingBox(around: place.coordinate, reach: kind.reach)
    }

    /// The same for the same place at any time and in any language; fits into 31 bits, which is what some clients have for it.
    package var id: Int {
        let point = place.coordinate
        let identity = [
            "\(place.level)", place.countryCode ?? "", place.level == .country ? "" : place.name ?? "",
            "\(Int((point.lon * 10_000).rounded()))", "\(Int((point.lat * 10_000).rounded()))",
        ]
        // FNV-1a.
        let hash = identity.joined(separator: "|").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return max(1, Int(hash >> 33))
    }

    /// All that the place lies in, from fine to coarse.
    var label: String {
        [place.locality, place.comune, place.province, place.region, place.postalCode, place.country]
            .compactMap(\.self).reduce(into: [String]()) { parts, name in
                if parts.last != name { parts.append(name) }
            }
            .joined(separator: ", ")
    }

    /// 0...1, by its people.
    var importance: Double { min(1, 0.1 + log10(Double(place.population ?? 0) + 1) / 10) }
}

extension GeocodedPlace.Kind {
    /// As OpenStreetMap has it: by people, and every capital of a province is a city.
    fileprivate init(comune: Place) {
        let people = comune.population ?? 0
        let isCapital = comune.provinceCode != nil && comune.comune == comune.province
        self = people >= 100_000 || isCapital ? .city : people >= 10_000 ? .town : .village
    }

    /// Nominatim's rank of search.
    var rank: Int {
        switch self {
        case .country: 4
        case .state: 8
        case .county: 12
        case .city: 16
        case .town: 18
        case .village, .suburb: 19
        case .hamlet: 20
        }
    }

    /// What GeocodeJSON calls it.
    package var type: String {
        switch self {
        case .country, .state, .county: rawValue
        case .city, .town, .village: "city"
        case .suburb, .hamlet: "district"
        }
    }

    /// The name of its field in an address.
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
        }
    }

    /// Degrees from its middle to its edge, where nothing better is known.
    fileprivate var reach: Double {
        switch self {
        case .country: 5
        case .state: 1
        case .county: 0.4
        case .city: 0.16
        case .town: 0.04
        case .village: 0.02
        case .suburb, .hamlet: 0.01
        }
    }
}
