/// The numbers of requests to a bucket by their results, for monitoring.
package struct BucketFigures: Sendable {
    package enum Operation: String, CaseIterable, Sendable {
        case put, get, delete, list
    }

    package struct Counts: Sendable {
        package internal(set) var done = 0
        package internal(set) var failed = 0
    }

    var counts: [Operation: Counts] = [:]
    /// The number of further attempts after a failed one.
    package internal(set) var repeats = 0
    /// Why the last request failed; nil if it succeeded.
    package internal(set) var failure: BucketFailure?

    package func counts(of operation: Operation) -> Counts { counts[operation] ?? Counts() }
}
