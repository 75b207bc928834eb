import Synchronization

/// How many of something, such as connections, each network address has, and all together.
final class AddressSeats: Sendable {
    private let most: Int
    private let mostOfAddress: Int
    private let state = Mutex((all: 0, addresses: [NetworkAddress: Int]()))

    init(most: Int = .max, ofAddress mostOfAddress: Int) {
        self.most = most
        self.mostOfAddress = mostOfAddress
    }

    enum Refusal: Error {
        case full
        case addressHasEnough
    }

    var count: Int { state.withLock(\.all) }

    /// - Parameter address: nil for one whose seats are not counted apart.
    func take(_ address: NetworkAddress?) throws(Refusal) -> Seat {
        let site = address?.site
        let refusal: Refusal? = state.withLock { state in
            guard state.all < most else { return .full }
            if let site {
                guard state.addresses[site, default: 0] < mostOfAddress else { return .addressHasEnough }
                state.addresses[site, default: 0] += 1
            }
            state.all += 1
            return nil
        }
        if let refusal { throw refusal }
        return Seat(of: self, site)
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
    final class Seat: Sendable {
        private let seats: AddressSeats
        private let site: NetworkAddress?

        fileprivate init(of seats: AddressSeats, _ site: NetworkAddress?) {
            self.seats = seats
            self.site = site
        }

        deinit { seats.leave(site) }
    }
}
