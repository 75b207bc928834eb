import Domain

/// The cells of one level that cover an area. The migration `board` defines the cells.
struct CellCover {
    /// The levels for which the database contains lists of cells.
    static let levels = [2, 4, 6, 8, 10, 12, 14]
    static let finest = 14

    /// A rectangle in degrees that does not cross the antimeridian (west <= east).
    struct Extent: Equatable {
        let west, east, south, north: Double

        static let earth = Extent(west: -180, east: 180, south: -90, north: 90)

        func contains(_ point: Coordinate) -> Bool {
            (west...east).contains(point.lon) && (south...north).contains(point.lat)
        }

        func intersection(_ other: Extent) -> Extent? {
            let (west, east) = (max(west, other.west), min(east, other.east))
            let (south, north) = (max(south, other.south), min(north, other.north))
            return west <= east && south <= north ? Extent(west: west, east: east, south: south, north: north) : nil
        }
    }

    private struct CellBlock: Equatable {
        let columns, rows: ClosedRange<Int64>

        var count: Int { columns.count * rows.count }
    }

    let level: Int
    private let blocks: [CellBlock]

    init(level: Int, extents: [Extent]) {
        self.level = level
        blocks = extents.reduce(into: []) { blocks, extent in
            let block = CellBlock(
                columns: Cell.index(extent.west, of: 360, level)...Cell.index(extent.east, of: 360, level),
                rows: Cell.index(extent.south, of: 180, level)...Cell.index(extent.north, of: 180, level)
            )
            if !blocks.contains(block) { blocks.append(block) }
        }
    }

    init(_ cell: Cell) {
        level = cell.level
        blocks = [CellBlock(columns: cell.column...cell.column, rows: cell.row...cell.row)]
    }

    /// An upper bound: where blocks overlap, cells are counted twice.
    var count: Int { blocks.reduce(0) { $0 + $1.count } }

    /// The distinct cells in the order of their numbers.
    var cells: [Cell] {
        Set(
            blocks.flatMap { block in
                block.rows.flatMap { row in block.columns.map { Cell(level: level, column: $0, row: row) } }
            }
        ).sorted { $0.position < $1.position }
    }

    /// The zones of the cells in ascending order, merged into as few ranges as possible.
    var zones: [ClosedRange<Int64>] { cells.map(\.zones).merged() }

    /// The numbers of the cells in ascending order, merged into as few ranges as possible.
    var numbers: [ClosedRange<Int64>] { cells.map { $0.number...$0.number }.merged() }
}

extension [ClosedRange<Int64>] {
    /// Returns the ranges with adjacent ones merged. The ranges must be in ascending order.
    fileprivate func merged() -> [ClosedRange<Int64>] {
        reduce(into: []) { ranges, range in
            if let open = ranges.last, open.upperBound + 1 == range.lowerBound {
                ranges[ranges.count - 1] = open.lowerBound...range.upperBound
            } else {
                ranges.append(range)
            }
        }
    }
}

/// One cell of the grid that divides the Earth into 2^level columns and 2^level rows.
struct Cell: Hashable {
    let level: Int
    /// Counted from 180 degrees west.
    let column: Int64
    /// Counted from the south pole.
    let row: Int64

    /// Creates the cell that contains a point.
    init(level: Int, holding point: Coordinate) {
        self.init(
            level: level,
            column: Self.index(point.lon, of: 360, level),
            row: Self.index(point.lat, of: 180, level)
        )
    }

    init(level: Int, column: Int64, row: Int64) {
        self.level = level
        self.column = column
        self.row = row
    }

    fileprivate static func index(_ degrees: Double, of span: Double, _ level: Int) -> Int64 {
        let cells = Double(1 << level)
        return Int64(min(cells - 1, max(0, (degrees + span / 2) / span * cells)))
    }

    /// The number of the cell in `board_cell`, `board_count` and the text index.
    var number: Int64 { Int64(level) << 28 | position }

    /// The number of the cell within its level: the interleaved bits of column and row.
    fileprivate var position: Int64 { Self.spread(column) | Self.spread(row) << 1 }

    fileprivate var zones: ClosedRange<Int64> {
        let shift = Int64(2 * (CellCover.finest - level))
        return (position << shift)...((position + 1) << shift - 1)
    }

    var extent: CellCover.Extent {
        let cells = Double(1 << level)
        let (width, height) = (360 / cells, 180 / cells)
        return CellCover.Extent(
            west: Double(column) * width - 180,
            east: Double(column + 1) * width - 180,
            south: Double(row) * height - 90,
            north: Double(row + 1) * height - 90
        )
    }

    /// The sixteen cells of the next level in `CellCover.levels`; empty on the finest level.
    var children: [Cell] {
        guard CellCover.levels.contains(level + 2) else { return [] }
        return (0..<4).flatMap { row in
            (0..<4).map { Cell(level: level + 2, column: column * 4 + $0, row: self.row * 4 + row) }
        }
    }

    /// Returns the numbers of the children of the cell with a number of a level, which are consecutive; nil on the
    /// finest level.
    static func childNumbers(of number: Int64, level: Int) -> ClosedRange<Int64>? {
        guard level < CellCover.finest else { return nil }
        let position = number & (1 << 28 - 1)
        let first = Int64(level + 2) << 28 | position << 4
        return first...first + 15
    }

    /// Inserts a zero before each of 14 bits. Source: Morton, "A computer oriented geodetic data base" (1966).
    private static func spread(_ number: Int64) -> Int64 {
        var bits = number
        bits = (bits | bits << 8) & 0x00FF_00FF
        bits = (bits | bits << 4) & 0x0F0F_0F0F
        bits = (bits | bits << 2) & 0x3333_3333
        return (bits | bits << 1) & 0x5555_5555
    }
}
