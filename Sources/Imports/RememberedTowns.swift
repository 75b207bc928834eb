package import Domain
import Synchronization

/// A gazetteer that remembers the towns of names, because most rows of an import name one of a few towns.
package final class RememberedTowns: PlaceFinder {
    private struct Name: Hashable {
        let text: String
        let language: Language
    }

    private let finder: any PlaceFinder
    private let towns = Mutex<[Name: TownMatch]>([:])
    private static let maxNames = 10_000

    package init(_ finder: any PlaceFinder) {
        self.finder = finder
    }

    package func town(named name: String, language: Language) throws -> TownMatch {
        let key = Name(text: name, language: language)
        if let known = towns.withLock({ $0[key] }) { return known }
        let found = try finder.town(named: name, language: language)
        towns.withLock { towns in
            if towns.count >= Self.maxNames { towns = [:] }
            towns[key] = found
        }
        return found
    }

    package func place(at coordinate: Coordinate, language: Language) throws -> Place? {
        try finder.place(at: coordinate, language: language)
    }

    package func place(named name: String, language: Language) throws -> Place? {
        try finder.place(named: name, language: language)
    }

    package func extent(of place: Place) -> BoundingBox? { finder.extent(of: place) }

    package func places(called name: String, language: Language) throws -> [Place] {
        try finder.places(called: name, language: language)
    }

    package func position(of whereabouts: String, in town: Place) throws -> Coordinate? {
        try finder.position(of: whereabouts, in: town)
    }

    package var knowsStreets: Bool { finder.knowsStreets }

    package func isOpenSea(at coordinate: Coordinate) throws -> Bool { try finder.isOpenSea(at: coordinate) }

    package var region: BoundingBox? { finder.region }
}
