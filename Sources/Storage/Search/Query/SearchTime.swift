import Concurrency
import SQL

/// The time of a search, most of which it may use before it ends with a shorter page. Without it, conditions that few
/// listings fulfil and no index knows would end with an error.
///
/// A first try on an event loop has no time of its own: it is interrupted, and the search begins again elsewhere.
final class SearchTime {
    struct Limits {
        /// The share of the time for all reads of a request. The rest is for reading the found listings, and for counting.
        var share = 0.6
        /// A plan examines as many listings, or cells, in any case, so that each page gets ahead.
        var least = 500
    }

    @TaskLocal static var limits = Limits()

    private let query: ListingQuery
    private let now: () -> Double
    private let end: Double
    /// When a list that is not read in the order of the page takes too long.
    private let endOfList: Double
    private var examined = 0
    private var last: (distance: Double, key: Int64)?
    private(set) var stop: ListingQuery.Cursor?

    init(_ query: ListingQuery, _ engine: SQLEngine) {
        self.query = query
        switch engine {
        case .spatiaLite: now = { PreparedStatement.processorTime }
        case .postGIS: now = { MonotonicClock.seconds / PostgresDatabase.durationPerProcessorTime }
        }
        guard let meter = RequestMeter.current, !meter.isTrial, let left = meter.readTimeLeft else {
            (end, endOfList) = (.infinity, .infinity)
            return
        }
        let (begin, time) = (now(), Self.limits.share * left)
        (end, endOfList) = (begin + time, begin + time / 2)
    }

    struct ListTooLong: Error {}

    /// Throws if the search has no time left for a list of which nothing is known before it was read to its end.
    func throwIfTooLong() throws {
        if now() > endOfList { throw ListTooLong() }
    }

    /// Begins a plan: none of its listings has been examined.
    func begin() {
        (examined, last) = (0, nil)
    }

    /// Returns whether the plan has to end before it examines a listing. It tells the listings in the order of the page.
    func isOver(before key: Int64, distance: Double = 0) -> Bool {
        if examined >= Self.limits.least, let last, now() > end {
            stop(behind: last.key, distance: last.distance)
            return true
        }
        examined += 1
        last = (distance, key)
        return false
    }

    /// Returns whether the plan has to end before it reads what is farther away, in metres. All nearer listings have been
    /// examined.
    func isOver(beyond distance: Double) -> Bool {
        // Cells of earlier pages are read again, and do not count.
        guard distance.nextDown > query.cursor.flatMap({ Double($0.value) }) ?? 0 else { return false }
        if examined >= Self.limits.least, now() > end {
            stop(behind: .max, distance: distance.nextDown)
            return true
        }
        examined += 1
        return false
    }

    /// Ends the search behind a listing.
    private func stop(behind key: Int64, distance: Double) {
        stop = .init(order: query.order, value: query.order == .distance ? String(distance) : "", key: key)
    }

    /// Returns whether a list that is read in parts has to end behind a listing.
    func isOver(behind key: Int64) -> Bool {
        guard now() > end else { return false }
        stop(behind: key, distance: 0)
        return true
    }
}
