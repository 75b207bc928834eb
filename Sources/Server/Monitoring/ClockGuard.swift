import CLinux
package import Domain
package import Foundation
package import Logging

/// Records the time in the data folder every hour and holds the clock back if it is implausible at the next start.
package struct ClockGuard: Sendable {
    private let file: URL
    let clock: PlausibleClock
    private let isSynchronized: @Sendable () -> Bool
    private let logger: Logger

    /// - Parameter isSynchronized: whether the kernel knows that a time service keeps the clock right.
    package init(
        folder: URL,
        clock: PlausibleClock = .system,
        isSynchronized: @escaping @Sendable () -> Bool = { clock_is_synchronized() },
        logger: Logger
    ) {
        file = folder.appending(path: "last-time")
        self.clock = clock
        self.isSynchronized = isSynchronized
        self.logger = logger
    }

    /// Reads the recorded time. Call it before anything is deleted.
    ///
    /// - Parameter isAccepted: whether the operator has confirmed the time.
    package func begin(isAccepted: Bool) {
        let recorded = try? String(contentsOf: file, encoding: .utf8)
        if let known = recorded.flatMap({ Timestamp(parsing: $0) }) { clock.begin(at: known) }
        if isAccepted { clock.accept() }
        check()
    }

    /// Reports an implausible clock, or records the time.
    func check() {
        if clock.daysAhead != nil, isSynchronized() { clock.accept() }
        if let days = clock.daysAhead {
            logger.error(
                """
                the clock is \(days) days ahead of the last known time, which is used instead: correct the clock, or \
                start once with --accept-clock
                """
            )
        }
        let time = Timestamp(Date(timeIntervalSince1970: clock.now)).text
        do {
            try Data(time.utf8).write(to: file, options: .atomic)
        } catch {
            logger.warning("the time cannot be recorded", metadata: ["error": "\(error)"])
        }
    }
}
