import Foundation

/// The precision with which the position of a listing is public.
package enum LocationPrecision: String, CaseIterable, Sendable {
    case exact
    /// The centre of the cell that contains the point.
    case approximate
}

extension Coordinate {
    /// The centre of the cell of about 500 m by 500 m that contains the point, rounded to six decimals.
    ///
    /// The cells are fixed on the Earth and not centred on the point. Therefore several points in one cell, or the same
    /// point published repeatedly, reveal no more than one point does. Rows are 0.0045 degrees (500 m) high. Each row
    /// is divided into equal cells, as many as fit the length of its parallel, which is proportional to cos(latitude).
    package var cellCentre: Coordinate {
        let (middle, width) = cellRow
        let column = min(((lon + 180) / width).rounded(.down), (360 / width).rounded() - 1)
        return Coordinate(
            lon: ((column + 0.5) * width - 180).roundedToSixDecimals,
            lat: middle.roundedToSixDecimals
        ) ?? self
    }

    /// The width and the height of the cell that contains the point, in degrees.
    package var cellSize: (lon: Double, lat: Double) { (cellRow.width, Self.cellHeight) }

    /// The latitude in the middle of the row of cells, and the width of its cells.
    private var cellRow: (middle: Double, width: Double) {
        let row = min(((lat + 90) / Self.cellHeight).rounded(.down), 180 / Self.cellHeight - 1)
        let middle = (row + 0.5) * Self.cellHeight - 90
        return (middle, 360 / max(1, (360 * cos(middle * .pi / 180) / Self.cellHeight).rounded()))
    }

    /// In degrees.
    private static let cellHeight = 0.0045
}

extension Double {
    fileprivate var roundedToSixDecimals: Double { (self * 1e6).rounded() / 1e6 }
}
