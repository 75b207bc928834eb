import Foundation

/// How much of its point everybody may know.
package enum LocationPrecision: String, CaseIterable, Sendable {
    case exact
    /// The cell it lies in.
    case approximate
}

extension Coordinate {
    /// The centre of the cell of about 500 m by 500 m that it lies in, to the sixth decimal.
    ///
    /// Cells are fixed on the Earth, not around the point: neither several points of one cell nor one told again and again
    /// say more than one does. Rows are 0.0045 degrees (500 m) high; each is cut into as many equal cells as its parallel,
    /// of length cos(latitude), takes.
    package var cellCentre: Coordinate {
        let row = min(((lat + 90) / Self.cellHeight).rounded(.down), 180 / Self.cellHeight - 1)
        let middle = (row + 0.5) * Self.cellHeight - 90
        let width = 360 / max(1, (360 * cos(middle * .pi / 180) / Self.cellHeight).rounded())
        let column = min(((lon + 180) / width).rounded(.down), (360 / width).rounded() - 1)
        return Coordinate(
            lon: ((column + 0.5) * width - 180).roundedToSixDecimals,
            lat: middle.roundedToSixDecimals
        ) ?? self
    }

    /// Degrees.
    private static let cellHeight = 0.0045
}

extension Double {
    fileprivate var roundedToSixDecimals: Double { (self * 1e6).rounded() / 1e6 }
}
