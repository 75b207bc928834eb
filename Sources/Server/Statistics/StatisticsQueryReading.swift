import Domain
import HTTP
import Storage

extension StatisticsQuery {
    init(
        _ query: QueryReader,
        _ snapshot: StatisticsSnapshot,
        breeds: Breeds,
        finder: any PlaceFinder,
        language: Language
    ) throws {
        self.init()
        interval = try query.choice("by", StatisticsInterval.self) ?? .month
        since = try query.timestamp("since")
        until = try query.timestamp("until")
        if let since, let until, until <= since { throw ServiceError.invalid("until", "expected a time after since") }
        if let wanted = try query.choices("status", Listing.Status.self) {
            guard wanted.allSatisfy(\.isOpen) else {
                let names = Listing.Status.open.map(\.rawValue).joined(separator: ", ")
                throw ServiceError.invalid("status", "expected what listings are posted as: \(names)")
            }
            statuses = Set(wanted)
        }
        species = try query.choice("species", Species.self)
        if let name = try query.text("breed") {
            self.breeds = try Self.breeds(name, species, breeds)
        }
        if let name = try query.text("region") { region = try Self.region(name, snapshot, finder, language) }
    }

    private static func breeds(_ name: String, _ species: Species?, _ breeds: Breeds) throws -> Set<String> {
        let found = try breeds.group(named: name).breeds(of: species)
        guard !found.isEmpty else { throw ServiceError.invalid("breed", "expected the key or a name of a known breed") }
        return Set(found.map(\.key))
    }

    /// Returns the name of the region in listings: for Lombardy, for example, Lombardia.
    private static func region(
        _ name: String,
        _ snapshot: StatisticsSnapshot,
        _ finder: any PlaceFinder,
        _ language: Language
    ) throws -> String {
        if let known = snapshot.region(named: name) { return known }
        guard let found = try finder.place(named: name, language: language), found.level == .region,
            let own = found.name
        else { throw ServiceError.invalid("region", "expected the name of a region") }
        return snapshot.region(named: own) ?? own
    }
}
