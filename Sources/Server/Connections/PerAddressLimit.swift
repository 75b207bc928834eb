import Synchronization

/// How many of something, such as connections, each network address has, and all together.
final class PerAddressLimit: Sendable {
    private let total: Int
    private let maxPerAddress: Int
    private let state = Mutex((all: 0, addresses: [NetworkAddress: Int]()))

    init(total: Int = .max, perAddress maxPerAddress: Int) {
        self.total = total
        self.maxPerAddress = maxPerAddress
    }

    enum Exceeded: Error {
        case full
        case addressHasEnough
    }

    var count: Int { state.withLock(\.all) }

    /// - Parameter address: nil for one whose seats are not counted apart.
    func take(_ address: NetworkAddress?) throws(Exceeded) -> Permit {
        let site = address?.site
        let refusal: Exceeded? = state.withLock { state in
            guard state.all < total else { return .full }
            if let site {
                guard state.addresses[site, default: 0] < maxPerAddress else { return .addressHasEnough }
                state.addresses[site, default: 0] += 1
            }
            state.all += 1
            return nil
        }
        if let refusal { throw refusal }
        return Permit(of: self, site)
    }

    private func leave(_ site: NetworkAddress?) {
        state.withLock { state in
            state.all -= 1
            guard let site, let count = state.addresses[site] else { return }
            // Only who is here takes room.
            state.addresses[site] = count > 1 ? count - 1 : nil
        }
    }

    /// Free again when nobody holds it.
    final class Permit: Sendable {
        private let seats: PerAddressLimit
        private let site: NetworkAddress?

        fileprivate init(of seats: PerAddressLimit, _ site: NetworkAddress?) {
            self.seats = seats
            self.site = site
        }

        deinit { seats.leave(site) }
    }
}
