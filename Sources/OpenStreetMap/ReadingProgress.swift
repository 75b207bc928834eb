/// The progress of reading a file.
package struct ReadingProgress: Equatable, Sendable {
    package var nodes = 0
    package var ways = 0
    package var relations = 0
    /// The number of GeoJSON features.
    package var features = 0
    package var pointsFound = 0

    package init() {}

    package var elements: Int { nodes + ways + relations + features }
}

final class ProgressMeter {
    private static let interval = 100_000

    private let report: (ReadingProgress) throws -> Void
    private var progress = ReadingProgress()
    private var untilReport = interval

    init(report: @escaping (ReadingProgress) throws -> Void) {
        self.report = report
    }

    func count(_ kind: WritableKeyPath<ReadingProgress, Int>, found: @autoclosure () -> Int) throws {
        progress[keyPath: kind] += 1
        untilReport -= 1
        guard untilReport == 0 else { return }
        untilReport = Self.interval
        progress.pointsFound = found()
        try report(progress)
    }

    func finish(found: Int) throws {
        progress.pointsFound = found
        try report(progress)
    }
}
