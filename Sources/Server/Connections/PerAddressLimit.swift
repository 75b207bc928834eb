import HTTP
import Synchronization

/// Limits the number of simultaneous uses of a resource, such as connections, in total and per network address.
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
        case perAddressLimitReached
    }

    var count: Int { state.withLock(\.all) }

    /// Takes a permit. Throws `Exceeded` if a limit is reached.
    ///
    /// - Parameter address: the address to count; nil to count only towards the total.
    func take(_ address: NetworkAddress?) throws(Exceeded) -> Permit {
        let site = address?.site
        let refusal: Exceeded? = state.withLock { state in
            guard state.all < total else { return .full }
            if let site {
                guard state.addresses[site, default: 0] < maxPerAddress else { return .perAddressLimitReached }
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
            // Addresses without permits are removed, so that the dictionary does not grow with the number of addresses
            // seen.
            state.addresses[site] = count > 1 ? count - 1 : nil
        }
    }

    /// A permit to use the resource. It is released when the last reference to it is gone.
    final class Permit: Sendable {
        private let permits: PerAddressLimit
        private let site: NetworkAddress?

        fileprivate init(of permits: PerAddressLimit, _ site: NetworkAddress?) {
            self.permits = permits
            self.site = site
        }

        deinit { permits.leave(site) }
    }
}
