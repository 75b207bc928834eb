import HTTP
import Synchronization

/// Limits the number of simultaneous uses of a resource, such as connections, in total, per network address, and per
/// network that contains the address.
final class PerAddressLimit: Sendable {
    private let total: Int
    private let maxPerAddress: Int
    private let state = Mutex((all: 0, networks: [Network: Int]()))

    /// A network that one customer may own: `level` is its place in `NetworkAddress.networks`.
    fileprivate struct Network: Hashable {
        let level: Int
        let address: NetworkAddress
        /// The limit, as a multiple of the limit per address.
        let multiple: Int

        static func all(of address: NetworkAddress) -> [Network] {
            let multiples = address.isIPv4 ? [8, 1] : [4, 2, 1]
            return zip(address.networks, multiples).enumerated().map { level, network in
                Network(level: level, address: network.0, multiple: network.1)
            }
        }
    }

    init(total: Int = .max, perAddress maxPerAddress: Int) {
        self.total = total
        // The multiples of this number must not overflow.
        self.maxPerAddress = min(maxPerAddress, 1 << 32)
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
        let networks = address.map(Network.all) ?? []
        let refusal: Exceeded? = state.withLock { state in
            guard state.all < total else { return .full }
            for network in networks
            where state.networks[network, default: 0] >= maxPerAddress * network.multiple {
                return .perAddressLimitReached
            }
            for network in networks { state.networks[network, default: 0] += 1 }
            state.all += 1
            return nil
        }
        if let refusal { throw refusal }
        return Permit(of: self, networks)
    }

    private func leave(_ networks: [Network]) {
        state.withLock { state in
            state.all -= 1
            for network in networks {
                guard let count = state.networks[network] else { continue }
                // Networks without permits are removed, so that the dictionary does not grow with the number of
                // addresses seen.
                state.networks[network] = count > 1 ? count - 1 : nil
            }
        }
    }

    /// A permit to use the resource. It is released when the last reference to it is gone.
    final class Permit: Sendable {
        private let permits: PerAddressLimit
        private let networks: [Network]

        fileprivate init(of permits: PerAddressLimit, _ networks: [Network]) {
            self.permits = permits
            self.networks = networks
        }

        deinit { permits.leave(networks) }
    }
}
