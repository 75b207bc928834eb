import Domain
import Foundation
import Localization
import Logging
import Storage
import Synchronization

/// Reads the searches of alerts, and compares new listings with them and with the listings that have alerts.
///
/// A trigger notes each listing that was posted or whose status changed. The comparison runs in batches by turns, so that
/// a listing with many readers does not delay another, and goes on where it stopped after a restart.
final class AlertService: Sendable {
    let alerts: AlertStore
    private let matches: MatchStore
    private let timeZones: TimeZones
    private let queries: ListingQueryReader
    private let organisations: OrganisationStore
    /// The alerts around a listing that are still to be compared: 8 bytes each, so that the index is read once.
    private let remaining = Mutex<[Int64: [Int64]]>([:])
    /// Searches that were read, because many alerts have the same one.
    private let matchers = Mutex<[[String: String]: ListingMatcher]>([:])

    /// The number of alerts that are compared in one step.
    static let batchSize = 500
    /// The number of listings that are compared by turns.
    private static let maxFanOuts = 20
    private static let maxMatchers = 1_000
    /// 32 MB.
    private static let maxRemaining = 4_000_000

    init(
        _ alerts: AlertStore,
        _ matches: MatchStore,
        _ organisations: OrganisationStore,
        queries: ListingQueryReader,
        timeZones: TimeZones
    ) {
        (self.alerts, self.matches, self.queries) = (alerts, matches, queries)
        self.organisations = organisations
        self.timeZones = timeZones
    }

    func search(_ value: JSONValue, _ language: Language) throws -> AlertSearch {
        try AlertSearch(value, queries, organisations, language: language)
    }

    /// Returns the parameters of a search that a form contains, with the point of the town for a circle around it, and the
    /// name of the town for the alert; or with the name of the organisation.
    func around(_ typed: [String: String], _ language: Language) throws -> (name: String?, search: [String: String]) {
        var search = typed
        if let id = search[AlertSearch.organisation].flatMap(UUID.init(uuidString:)) {
            let name = try organisations.find(id: id)?.content.name
            return (name.map { String($0.prefix(Alert.maxNameLength)) }, search)
        }
        if search["lon"] == nil, search["radius"] != nil, let place = search["place"] {
            switch try queries.finder.address(place, language: language).match {
            case .town(let town):
                (search["lon"], search["lat"]) = (String(town.coordinate.lon), String(town.coordinate.lat))
                search["place"] = nil
                return (String(place.prefix(Alert.maxNameLength)), search)
            case .unclear(let candidates):
                // A province, region or country is an area without a radius.
                let area = try queries.finder.place(named: place, language: language)
                guard area?.name?.folded == place.folded else { throw ServiceError.unclearTown(candidates) }
                search["radius"] = nil
            }
        }
        return (nil, search)
    }

    /// Returns a search with what a form changes of it. Its area stays where it is.
    func changed(
        _ search: [String: String],
        by typed: [String: String],
        _ language: Language
    ) throws -> AlertSearch {
        var values = search
        for name in ["status", "species", "q"] { values[name] = typed[name] }
        if search["lon"] != nil { values["radius"] = typed["radius"] ?? search["radius"] }
        return try self.search(.object(values.mapValues(JSONValue.string)), language)
    }

    /// Changes the radius of an alert, whose search stays as it is otherwise.
    func narrow(_ alert: Alert, of account: Account, to radius: Int) async throws {
        _ = try await alerts.edit(id: alert.id, of: account) { alert in
            var values = alert.subject.search ?? [:]
            values["radius"] = String(radius)
            let search = try self.search(.object(values.mapValues(JSONValue.string)), .english)
            return AlertChange(name: alert.name, isPaused: alert.isPaused, search: (search.values, search.query))
        }
    }

    /// Returns the name of the town in the middle of the area of a search; nil if the search names a place, or if there is
    /// none.
    func town(of alert: Alert, _ language: Language) -> String? {
        guard let values = alert.subject.search, values["place"] == nil,
            let query = try? AlertSearch(values, queries, organisations).query,
            let middle = query.circle?.centre ?? query.box?.middle
        else { return nil }
        return (try? queries.finder.place(at: middle, language: language))?.fullName
    }

    /// Compares one batch of alerts with each of the listings that wait. Returns whether there is more to do.
    func advance(at now: Timestamp) async throws -> Bool {
        let fanOuts = try alerts.findFanOuts(limit: Self.maxFanOuts)
        for fanOut in fanOuts { try await advance(fanOut, at: now) }
        return !fanOuts.isEmpty
    }

    private func advance(_ fanOut: AlertFanOut, at now: Timestamp) async throws {
        if fanOut.turn == 0 { try await findMatches(of: fanOut.listing, at: now) }
        let known = fanOut.lastAlert == 0 ? nil : remaining.withLock { $0[fanOut.listing] }
        // Another node may have compared some of them.
        let keys = try known.map(fanOut.remaining) ?? alerts.findAlerts(around: fanOut)
        let (batch, rest) = (Array(keys.prefix(Self.batchSize)), Array(keys.dropFirst(Self.batchSize)))
        remaining.withLock { remaining in
            if remaining.values.reduce(0, { $0 + $1.count }) > Self.maxRemaining { remaining.removeAll() }
            remaining[fanOut.listing] = rest.isEmpty ? nil : rest
        }
        _ = try await alerts.advance(
            fanOut,
            batch,
            isLast: rest.isEmpty,
            at: now,
            zone: { timeZones.zone(at: $0, country: $1) },
            { [self] in matcher(of: $0) }
        )
    }

    /// Finds the listings that the new one may be a match of. It runs before the first batch, and again if that one did
    /// not end.
    private func findMatches(of key: Int64, at now: Timestamp) async throws {
        // The new listing must be read before it can be a match of others.
        while try await matches.readSubjects(at: now) == MatchStore.batchSize {}
        guard let listing = try matches.findListing(key: key) else { return }
        let readers = try matches.findReaders(of: listing)
        try await matches.noteAnimals(readers.map(\.key), at: now)
        try await alerts.add(
            matches.findAlerts(of: readers, for: listing),
            of: listing,
            in: timeZones.zone(at: listing.location),
            at: now
        )
    }

    /// Returns nil if the search cannot be read any more, for example because a newer gazetteer lacks its place.
    private func matcher(of alert: Alert) -> ListingMatcher? {
        guard let search = alert.subject.search else { return nil }
        if let known = matchers.withLock({ $0[search] }) { return known }
        let read = try? AlertSearch(search, queries, organisations)
        let matcher = read.map { ListingMatcher($0.query, within: $0.polygon) }
        matchers.withLock { matchers in
            if matchers.count >= Self.maxMatchers { matchers.removeAll() }
            matchers[search] = matcher
        }
        return matcher
    }
}
