import Domain

/// The open sea: all that is more than 20 km from every coast, in cells of a fiftieth of a degree. Lakes are no sea.
struct OpenSea: Sendable {
    private static let cellsPerDegree = 50.0
    private static let rowCount = 9_000
    private static let columnCount = 18_000

    /// Where the runs of each row begin, from 90 south.
    private let rows: Section
    /// The first column of a run from 180 west, and the column behind its last one.
    private let runs: Section

    init(_ file: TableFile) throws(GazetteerError) {
        rows = try file.section("SEAR", stride: 4)
        runs = try file.section("SEAC", stride: 4)
        let rows = rows
        guard rows.count == Self.rowCount + 1, rows.integer(Self.rowCount, as: UInt32.self) == runs.count,
            (0..<Self.rowCount).allSatisfy({ rows.integer($0, as: UInt32.self) <= rows.integer($0 + 1) })
        else {
            throw .damaged(path: file.file.path, section: "SEAR")
        }
    }

    func contains(_ point: Coordinate) -> Bool {
        let row = min(Self.rowCount - 1, Int((point.lat + 90) * Self.cellsPerDegree))
        let column = min(Self.columnCount - 1, Int((point.lon + 180) * Self.cellsPerDegree))
        var range = Int(rows.integer(row, as: UInt32.self))..<Int(rows.integer(row + 1, as: UInt32.self))
        // A binary search for the last run that does not begin east of the column.
        while range.count > 1 {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = first(middle) <= column ? middle..<range.upperBound : range.lowerBound..<middle
        }
        guard let run = range.first else { return false }
        return first(run) <= column && column < Int(runs.integer(run, at: 2, as: UInt16.self))
    }

    private func first(_ run: Int) -> Int { Int(runs.integer(run, as: UInt16.self)) }
}
