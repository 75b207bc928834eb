package import Domain
import Foundation

/// Tells how crowded the places of candidates are. Where many animals are missing, that one of them is near says less.
package enum MatchCrowding {
    /// The side of a cell in metres.
    private static let cell = 1500.0
    private static let maxCells = 512

    /// Returns for each candidate the binary logarithm of how many candidates are around it, less the mean of all.
    package static func values(_ places: [Coordinate]) -> [Double] {
        guard let first = places.first else { return [] }
        let scale = 111_320 * cos(first.lat * .pi / 180)
        let east = places.map { Int((($0.lon - first.lon) * scale / cell).rounded(.down)) }
        let north = places.map { Int((($0.lat - first.lat) * 110_574 / cell).rounded(.down)) }
        guard let (west, south) = east.min().flatMap({ west in north.min().map { (west - 1, $0 - 1) } }),
            let (width, height) = east.max().flatMap({ e in north.max().map { (e - west + 2, $0 - south + 2) } }),
            width <= maxCells, height <= maxCells
        else { return Array(repeating: 0, count: places.count) }
        var counts = [Int32](repeating: 0, count: width * height)
        let cells = zip(east, north).map { ($1 - south) * width + $0 - west }
        for cell in cells { counts[cell] += 1 }
        let values = cells.map { cell in
            let sides = counts[cell - 1] + counts[cell + 1] + counts[cell - width] + counts[cell + width]
            let corners =
                counts[cell - width - 1] + counts[cell - width + 1] + counts[cell + width - 1]
                + counts[cell + width + 1]
            // The candidate itself is one of its cell; one is added so that an empty place has a logarithm.
            return log2(Double(4 * counts[cell] + 2 * sides + corners) / 4)
        }
        let mean = values.reduce(0, +) / Double(values.count)
        return values.map { $0 - mean }
    }
}
