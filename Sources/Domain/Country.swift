import Foundation

/// The facts of a country, from its rows in `countries.tsv`.
package struct Country: Equatable, Sendable {
    /// Somebody whom owners and finders call.
    package struct Authority: Equatable, Sendable {
        package enum Kind: String, CaseIterable, Sendable {
            case police, municipalPolice, townHall, lostPropertyOffice, publicVets, animalControl, dogWarden, pound,
                shelter,
                animalAmbulance, lostAndFound
        }

        package let kind: Kind
        /// The local name, such as "Polizia Locale"; empty if there is none.
        package let name: String
    }

    /// A registry of microchips that anybody can ask.
    package struct Registry: Equatable, Sendable {
        package let name, address: String

        package init(name: String, address: String) { (self.name, self.address) = (name, address) }
    }

    /// A law that obliges whoever lost or found an animal to report it.
    package struct Duty: Equatable, Sendable {
        package let law, address: String
        /// The time that there is for the report; nil if the law counts no days.
        package let days: Int?
    }

    /// In the order in which they are called.
    package private(set) var authorities: [Authority] = []
    /// The likeliest first.
    package private(set) var registries: [Registry] = []
    /// The number for an animal that is in danger, or dangerous, on a road.
    package private(set) var emergencyNumber: String?
    package private(set) var dutyOfOwners: Duty?
    package private(set) var dutyOfFinders: Duty?
    package private(set) var hasMiles = false
    /// That of invented data, where no language has the country as its own.
    private var language: String?
    /// A telephone number without its last digit that no subscriber has.
    private var fictionalNumber: String?
}

extension Country {
    /// The key of the rows for all countries that have none.
    private static let others = "other"

    /// The countries with rows, by their ISO 3166-1 alpha-2 codes.
    package static let all = read(Bundle.module.table("countries"))

    private static let unknown = all[others] ?? Country()

    /// - Parameter code: nil for an unknown country, such as that of a point on the sea.
    package init(_ code: String?) {
        self = code.flatMap { Self.all[$0] } ?? Self.unknown
        // A country may have rows and no registry.
        if registries.isEmpty { registries = Self.unknown.registries }
    }

    /// The registries that do not belong to one country, or to several.
    package static var internationalRegistries: [Registry] { unknown.registries }

    /// Returns a telephone number for invented data: one that no subscriber has, or the example of libphonenumber where none is known.
    package static func inventedNumber(in code: String, digit: Int) -> String? {
        all[code]?.fictionalNumber.map { "\($0)\(digit)" } ?? TelephoneNumber.example(in: code)
    }

    /// The language of invented data in a country.
    package static func language(of code: String) -> Language {
        all[code]?.language.flatMap(Language.init) ?? Language.allCases.first { $0.properties.country == code }
            ?? .english
    }

    private static func read(_ table: WordTable) -> [String: Country] {
        var countries: [String: Country] = [:]
        for cells in table.rows {
            guard cells.count == 5, countries[String(cells[0]), default: Country()].add(cells[1...].map(String.init))
            else {
                preconditionFailure("countries.tsv: \(cells.joined(separator: " "))")
            }
        }
        return countries
    }

    /// - Parameter cells: the fact, its value, the detail and the address.
    /// - Returns: whether the fact is known.
    private mutating func add(_ cells: [String]) -> Bool {
        let (value, detail, address) = (cells[1], cells[2], cells[3])
        switch cells[0] {
        case "call":
            guard let kind = Authority.Kind(rawValue: value) else { return false }
            authorities.append(Authority(kind: kind, name: detail))
        case "registry": registries.append(Registry(name: value, address: address))
        case "emergency": emergencyNumber = value
        case "finder": dutyOfFinders = Duty(law: value, address: address, days: Int(detail))
        case "owner": dutyOfOwners = Duty(law: value, address: address, days: Int(detail))
        case "distances": hasMiles = value == "miles"
        case "language": language = value
        case "fiction": fictionalNumber = value
        default: return false
        }
        return true
    }
}
