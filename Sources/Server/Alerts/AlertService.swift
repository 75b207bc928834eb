import Domain
import Logging
import Storage
import Synchronization

/// Reads the searches of alerts, and compares new listings with them.
///
/// A trigger notes each listing that was posted or whose status changed. The comparison runs in batches by turns, so that
/// a listing with many readers does not delay another, and goes on where it stopped after a restart.
final class AlertService: Sendable {
    let alerts: AlertStore
    private let breeds: Breeds
    private let finder: any PlaceFinder
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

    init(_ alerts: AlertStore, breeds: Breeds, finder: any PlaceFinder) {
        (self.alerts, self.breeds, self.finder) = (alerts, breeds, finder)
    }

    func search(_ value: JSONValue, _ language: Language) throws -> AlertSearch {
        try AlertSearch(value, breeds: breeds, finder: finder, language: language)
    }

    /// Compares one batch of alerts with each of the listings that wait. Returns whether there is more to do.
    func advance(at now: Timestamp) async throws -> Bool {
        let fanOuts = try alerts.findFanOuts(limit: Self.maxFanOuts)
        for fanOut in fanOuts { try await advance(fanOut, at: now) }
        return !fanOuts.isEmpty
    }

    private func advance(_ fanOut: AlertFanOut, at now: Timestamp) async throws {
        let known = fanOut.lastAlert == 0 ? nil : remaining.withLock { $0[fanOut.listing] }
        let keys = try known ?? alerts.findAlerts(around: fanOut)
        let (batch, rest) = (Array(keys.prefix(Self.batchSize)), Array(keys.dropFirst(Self.batchSize)))
        remaining.withLock { remaining in
            if remaining.values.reduce(0, { $0 + $1.count }) > Self.maxRemaining { remaining.removeAll() }
            remaining[fanOut.listing] = rest.isEmpty ? nil : rest
        }
        _ = try await alerts.advance(fanOut, batch, isLast: rest.isEmpty, at: now) { [self] in matcher(of: $0) }
    }

    /// Returns nil if the search cannot be read any more, for example because a newer gazetteer lacks its place.
    private func matcher(of alert: Alert) -> ListingMatcher? {
        if let known = matchers.withLock({ $0[alert.search] }) { return known }
        let matcher = try? ListingMatcher(AlertSearch(alert.search, breeds: breeds, finder: finder).query)
        matchers.withLock { matchers in
            if matchers.count >= Self.maxMatchers { matchers.removeAll() }
            matchers[alert.search] = matcher
        }
        return matcher
    }
}
