import Foundation

/// How much of a resource each client has used recently, by network prefix, so that the one who used the least is next.
struct FairShares {
    /// The time in seconds after which half of a use is forgotten.
    private static let halfLife = 60.0
    /// The number of prefixes above which unused ones are removed.
    private static let maxPrefixes = 4096
    /// The use in seconds that each waiting and each running task counts.
    private static let waitingWeight = 0.01
    private static let runningWeight = 1.0

    private struct Share {
        var used = 0.0
        var time = 0.0
        var waiting = 0
        var running = 0

        func load(at now: Double) -> Double {
            decayed(at: now) + Double(waiting) * waitingWeight + Double(running) * runningWeight
        }

        func decayed(at now: Double) -> Double { used * exp2((time - now) / halfLife) }
    }

    private var shares: [Int: Share] = [:]

    /// Returns the loads of the client's prefixes, the widest prefix first. Of two clients, the one with the
    /// lexicographically smaller loads has used less.
    func loads(of client: ClientPrefixes, now: Double) -> [Double] {
        client.hashes.map { shares[$0]?.load(at: now) ?? 0 }
    }

    mutating func add(waiting: Int = 0, running: Int = 0, used: Double = 0, _ client: ClientPrefixes, now: Double) {
        for hash in client.hashes {
            var share = shares[hash] ?? Share()
            share.used = share.decayed(at: now) + used
            share.time = now
            share.waiting += waiting
            share.running += running
            shares[hash] = share
        }
        if shares.count > Self.maxPrefixes { removeUnused(now) }
    }

    /// Removes the less used half of the prefixes without tasks.
    private mutating func removeUnused(_ now: Double) {
        let unused = shares.filter { $0.value.waiting == 0 && $0.value.running == 0 }
        let least = unused.sorted { $0.value.decayed(at: now) < $1.value.decayed(at: now) }
        for (hash, _) in least.prefix(max(1, Self.maxPrefixes / 2)) { shares[hash] = nil }
    }
}
