import Synchronization

/// Limits how many clients use something at once, such as a stream of events. Nobody waits.
package final class ConcurrencyLimit: Sendable {
    private let limit: Int
    private let taken = Atomic(0)

    package init(_ limit: Int) {
        self.limit = limit
    }

    /// The number of permits that are taken.
    package var inUse: Int { taken.load(ordering: .relaxed) }

    /// Returns nil if all permits are taken.
    package func take() -> Permit? {
        guard taken.add(1, ordering: .relaxed).newValue <= limit else {
            taken.subtract(1, ordering: .relaxed)
            return nil
        }
        return Permit(of: self)
    }

    /// Returns its place to the limit when it is deallocated.
    package final class Permit: Sendable {
        private let permits: ConcurrencyLimit

        fileprivate init(of permits: ConcurrencyLimit) {
            self.permits = permits
        }

        deinit {
            permits.taken.subtract(1, ordering: .relaxed)
        }
    }
}
