package import Domain
import Synchronization

/// A gazetteer that remembers the towns of names, because most rows of an import name one of a few towns.
package final class RememberedTowns: PlaceFinderWrapper {
    private struct Name: Hashable {
        let text: String
        let language: Language
    }

    package let finder: any PlaceFinder
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
}
