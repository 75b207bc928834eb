import Foundation
import Synchronization

/// Holds threads until it is opened.
package final class Gate: Sendable {
    private let isOpen: Atomic<Bool>

    package init(isOpen: Bool) {
        self.isOpen = Atomic(isOpen)
    }

    package func open() { isOpen.store(true, ordering: .relaxed) }

    package func pass() { while !isOpen.load(ordering: .relaxed) { usleep(5_000) } }
}
