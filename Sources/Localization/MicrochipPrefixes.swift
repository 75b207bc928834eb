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

    /// The place to ask for the owner of a number.
    package enum Registry: String, Sendable {
        /// Italy's national register.
        case italy
        /// The search over many registries.
        case europetnet

        package var url: String {
            switch self {
            case .italy: "https://www.salute.gov.it"
            case .europetnet: "https://www.europetnet.org"
            }
        }

        package var name: String {
            switch self {
            case .italy: "Anagrafe nazionale degli animali d'affezione"
            case .europetnet: "Europetnet"
            }
        }
    }

    private let origins: [Int: Origin]

    init(tsv: String) {
        var origins: [Int: Origin] = [:]
        for line in tsv.split(separator: "\n").dropFirst() {
            let cells = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard cells.count == 3, let prefix = Int(cells[0]) else { continue }
            origins[prefix] =
                cells[1] == "country" ? .country(cells[2]) : .manufacturer(cells[2].isEmpty ? nil : cells[2])
        }
        self.origins = origins
    }

    package func origin(of prefix: Int) -> Origin {
        origins[prefix] ?? ((900...998).contains(prefix) ? .manufacturer(nil) : .unknown)
    }

    /// Returns the registries to ask, the likeliest first.
    package func registries(for prefix: Int?) -> [Registry] {
        prefix.map(origin) == .country("IT") ? [.italy, .europetnet] : [.europetnet]
    }
}
