/// The probability that the best answer is right, as a function of its margin over the second-best answer; fitted by
/// `geodata/fitting.py`.
struct ConfidenceCurve: Sendable {
    private let knots: Section

    init(_ file: TableFile) throws(GazetteerError) {
        knots = try file.section("CONF", stride: 8)
        guard knots.count >= 2 else { throw .damaged(path: file.file.path, section: "CONF") }
    }

    /// Interpolates linearly between the knots.
    ///
    /// - Parameter margin: The natural logarithm of the ratio of the two weighted distances.
    func probability(margin: Double) -> Double {
        var previous = 0
        for knot in 1..<knots.count {
            if margin < knots.float(knot, at: 0) { break }
            previous = knot
        }
        guard previous + 1 < knots.count else { return knots.float(previous, at: 4) }
        let (x0, y0) = (knots.float(previous, at: 0), knots.float(previous, at: 4))
        let (x1, y1) = (knots.float(previous + 1, at: 0), knots.float(previous + 1, at: 4))
        let share = x1 > x0 ? max(0, min(1, (margin - x0) / (x1 - x0))) : 1
        return y0 + share * (y1 - y0)
    }
}
