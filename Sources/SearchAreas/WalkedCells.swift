import Foundation

/// The squares of a grid that lie near lines. Their number, and the time to find them, are bounded whatever the lines are;
/// GEOS alone takes quadratic time and memory for lines that cross each other, or run along each other, again and again.
struct WalkedCells {
    /// In metres. Points move by at most 7 m.
    static let width = 10.0
    /// The distance in metres from a point at which squares have their far side.
    static let reach = 35.0
    /// The maximum number of steps of all lines together, which are 10,000 km.
    private static let maxSteps = 1_000_000
    /// The maximum number of cells, which cover 50 km². Further ones are ignored.
    private static let maxCount = 500_000

    private struct Cell: Hashable {
        let column: Int
        let row: Int
    }

    /// The cells around a point, of which no corner is much farther than `reach`.
    private static let disc: [(columns: Int, rows: Int)] = (-3...3).flatMap { rows in
        (-3...3).filter { $0 * $0 + rows * rows <= 10 }.map { ($0, rows) }
    }

    private let regions: [(centre: LocalPlane.Point, radius: Double)]
    private var visited: Set<Cell> = []
    private var cells: Set<Cell> = []
    private var steps = 0

    /// - Parameter regions: what is outside of these discs is ignored.
    init(in regions: [(centre: LocalPlane.Point, radius: Double)]) {
        self.regions = regions
    }

    mutating func add(_ line: [LocalPlane.Point]) {
        if let first = line.first { visit(first) }
        for (start, end) in zip(line, line.dropFirst()) {
            let metres = start.distance(to: end)
            let isGap = metres > SearchedArea.maxGapMetres
            let count = isGap ? 1 : max(1, Int((metres / Self.width).rounded(.up)))
            for number in 1...count {
                let share = Double(number) / Double(count)
                visit(.init(x: start.x + share * (end.x - start.x), y: start.y + share * (end.y - start.y)))
            }
        }
    }

    private mutating func visit(_ point: LocalPlane.Point) {
        steps += 1
        guard steps <= Self.maxSteps, cells.count < Self.maxCount,
            regions.contains(where: { $0.centre.distance(to: point) <= $0.radius })
        else { return }
        let cell = Cell(column: Int((point.x / Self.width).rounded()), row: Int((point.y / Self.width).rounded()))
        guard visited.insert(cell).inserted else { return }
        for (columns, rows) in Self.disc { cells.insert(Cell(column: cell.column + columns, row: cell.row + rows)) }
    }

    /// The cells as rectangles, each from west to east as long as possible.
    var rectangles: [(x: ClosedRange<Double>, y: ClosedRange<Double>)] {
        let sorted = cells.sorted { ($0.row, $0.column) < ($1.row, $1.column) }
        var runs: [(row: Int, columns: ClosedRange<Int>)] = []
        for cell in sorted {
            if let last = runs.last, last.row == cell.row, last.columns.upperBound + 1 == cell.column {
                runs[runs.count - 1].columns = last.columns.lowerBound...cell.column
            } else {
                runs.append((cell.row, cell.column...cell.column))
            }
        }
        func edges(_ numbers: ClosedRange<Int>) -> ClosedRange<Double> {
            (Double(numbers.lowerBound) - 0.5) * Self.width...(Double(numbers.upperBound) + 0.5) * Self.width
        }
        return runs.map { (edges($0.columns), edges($0.row...$0.row)) }
    }
}
