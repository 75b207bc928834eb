package import Domain

/// Where the first three digits of a microchip's number come from, from `microchip-prefixes.tsv`.
///
/// The table contains the numeric codes of countries (ISO 3166-1). From 900 to 998, ICAR assigns codes to manufacturers;
/// 900 is shared by several. The table names only those that registries commonly publish.
package struct MicrochipPrefixes: Sendable {
    package enum Origin: Equatable, Sendable {
        /// The ISO 3166-1 alpha-2 code.
        case country(String)
        /// Nil if the table does not name the manufacturer.
        case manufacturer(String?)
        /// A code that is not assigned.
        case unknown
    }

    private var origins: [Int: Origin] = [:]
    /// The registries of manufacturers.
    private var registries: [Int: Country.Registry] = [:]

    init(tsv: String) {
        for line in tsv.split(separator: "\n") {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count >= 3, let prefix = Int(cells[0]) else { continue }
            origins[prefix] =
                cells[1] == "country" ? .country(cells[2]) : .manufacturer(cells[2].isEmpty ? nil : cells[2])
            if cells.count == 5 { registries[prefix] = Country.Registry(name: cells[3], address: cells[4]) }
        }
    }

    package func origin(of prefix: Int) -> Origin {
        origins[prefix] ?? ((900...998).contains(prefix) ? .manufacturer(nil) : .unknown)
    }

    /// Returns the registries to ask, the likeliest first.
    ///
    /// - Parameter site: the country of the site. Most animals with a manufacturer's code live where they are found.
    func registries(for prefix: Int?, site: String?) -> [Country.Registry] {
        var all: [Country.Registry] = []
        if let prefix, case .country(let code) = origin(of: prefix) {
            all = Country(code).registries
        } else {
            all = (site.map { Country($0).registries } ?? []) + [prefix.flatMap { registries[$0] }].compactMap(\.self)
        }
        return (all + Country.internationalRegistries).reduce(into: []) { known, registry in
            if !known.contains(registry) { known.append(registry) }
        }
    }
}
