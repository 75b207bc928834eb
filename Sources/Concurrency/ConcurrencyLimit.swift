import Synchronization

/// How many may have something at once, such as a stream of events.
package final class Seats: Sendable {
    private let most: Int
    private let taken = Atomic(0)

    package init(_ most: Int) {
        self.most = most
    }

    /// Nil where all are taken.
    package func take() -> Seat? {
        guard taken.add(1, ordering: .relaxed).newValue <= most else {
            taken.subtract(1, ordering: .relaxed)
            return nil
        }
        return Seat(of: self)
    }

    /// Free again when nobody holds it.
    package final class Seat: Sendable {
        private let seats: Seats

        fileprivate init(of seats: Seats) {
            self.seats = seats
        }

        deinit {
            seats.taken.subtract(1, ordering: .relaxed)
        }
    }
}
