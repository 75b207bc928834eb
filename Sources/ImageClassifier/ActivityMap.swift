/// How active a network is in each cell of a grid over a picture: more where the subject is than in the background.
struct ActivityMap {
    /// Row by row, all finite.
    let cells: [Float]
    let columns: Int

    // See the decision "The second view of a photo is a crop to the animal".
    /// The activity that counts as background, from 0 (that of the least active cell) to 1 (that of the most active one).
    private static let background = 0.4
    /// The side of the square in standard deviations of the subject.
    private static let deviations = 4.2
    /// The side of the smallest square, relative to the shorter side of the picture.
    private static let leastSide = 0.5
    private static let leastRange: Float = 1e-6

    /// Returns a square around the subject; the greatest one in the centre if all cells are equally active.
    func square(width: Int, height: Int) -> PixelSquare {
        let (columns, rows) = (Double(width), Double(height))
        let most = min(columns, rows)
        guard let (x, y) = subject else { return PixelSquare(columns / 2, rows / 2, side: most, width, height) }
        let spread = Self.deviations * max(x.deviation * columns, y.deviation * rows)
        let side = min(max(spread, most * Self.leastSide), most)
        return PixelSquare(x.mean * columns, y.mean * rows, side: side, width, height)
    }

    /// Where the subject is, relative to the width and to the height; nil if all cells are equally active.
    private var subject: (x: Spread, y: Spread)? {
        guard let least = cells.min(), let most = cells.max(), most - least >= Self.leastRange else { return nil }
        var (x, y) = (Array(repeating: 0.0, count: columns), Array(repeating: 0.0, count: cells.count / columns))
        for (index, cell) in cells.enumerated() {
            let weight = max(0, Double((cell - least) / (most - least)) - Self.background)
            x[index % columns] += weight
            y[index / columns] += weight
        }
        return (Spread(x), Spread(y))
    }
}

/// The mean and the standard deviation of positions from 0 to 1.
private struct Spread {
    let mean, deviation: Double

    /// - Parameter weights: those of equal intervals, at least one above 0.
    init(_ weights: [Double]) {
        let sum = weights.reduce(0, +)
        func mean(_ value: (Double) -> Double) -> Double {
            weights.indices.reduce(0) { $0 + weights[$1] * value((Double($1) + 0.5) / Double(weights.count)) } / sum
        }
        let centre = mean { $0 }
        self.mean = centre
        deviation = mean { ($0 - centre) * ($0 - centre) }.squareRoot()
    }
}

/// A square in a picture, in pixels.
struct PixelSquare: Equatable {
    let left, top, side: Int
}

extension PixelSquare {
    /// Moves the square into the picture. Its side is at most that of the picture, and at least 1.
    fileprivate init(_ x: Double, _ y: Double, side: Double, _ width: Int, _ height: Int) {
        left = Int(min(max(x - side / 2, 0), Double(width) - side))
        top = Int(min(max(y - side / 2, 0), Double(height) - side))
        self.side = max(Int(side), 1)
    }
}
