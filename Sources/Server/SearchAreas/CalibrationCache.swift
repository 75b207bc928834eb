import Concurrency
import Domain
import SearchAreas
import Synchronization

/// The calibrations of search areas by species. They are computed again after an hour, because each computation reads up
/// to 1,000 pairs of listings, and each page of a lost animal needs one.
final class CalibrationCache: Sendable {
    /// In seconds.
    private static let lifetime = 3_600.0

    private struct Entry {
        let calibration: Calibration?
        let end: Double
    }

    private let entries = Mutex<[Species: Entry]>([:])
    private let clock: @Sendable () -> Double

    /// - Parameter clock: a monotonic time in seconds.
    init(clock: @escaping @Sendable () -> Double = { MonotonicClock.seconds }) {
        self.clock = clock
    }

    /// Returns nil if the service has too few reunions of the species.
    func calibration(of species: Species, _ compute: () throws -> Calibration?) rethrows -> Calibration? {
        let now = clock()
        if let known = entries.withLock({ $0[species] }), now < known.end { return known.calibration }
        let calibration = try compute()
        entries.withLock { $0[species] = Entry(calibration: calibration, end: now + Self.lifetime) }
        return calibration
    }
}
