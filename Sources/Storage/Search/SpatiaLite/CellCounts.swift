import Domain
import Foundation
import SQL

/// Reads the precomputed counts of cells (the table `board_count`) for the statuses and the species of a query. The
/// statement is prepared once, because a search reads up to a few hundred ranges of cells.
///
/// The rows are filtered and added here: SQLite takes twice as long for `status IN (...)` and `GROUP BY`.
struct CellCounts: ~Copyable {
    /// A cell, the number of its listings, and the sums of their coordinates in units of 1e-7 degrees.
    struct Sum {
        let cell: Int64
        fileprivate(set) var count = 0
        fileprivate(set) var lon: Int64 = 0
        fileprivate(set) var lat: Int64 = 0

        fileprivate init(cell: Int64) {
            self.cell = cell
        }
    }

    private let scan: PreparedStatement
    private let statuses: [[UInt8]]
    private let species: [UInt8]?

    init(_ db: SQLConnection, _ query: ListingQuery) throws {
        scan = try PreparedStatement(
            db,
            """
            SELECT cell, status, species, listings, lon_sum, lat_sum FROM board_count WHERE cell BETWEEN ? AND ?
            ORDER BY cell
            """
        )
        statuses = query.statuses.map { Array($0.rawValue.utf8) }
        species = query.species.map { Array($0.rawValue.utf8) }
    }

    /// Passes the cells that have listings to `body`, in the order of their numbers.
    func read(_ cells: ClosedRange<Int64>, _ body: (Sum) throws -> Void) throws {
        try scan.restart(cells)
        var sum: Sum?
        while try scan.next() {
            let row = scan.row
            guard isWanted(row) else { continue }
            let cell = row.integer(0)
            if sum?.cell != cell {
                if let sum, sum.count > 0 { try body(sum) }
                sum = Sum(cell: cell)
            }
            sum?.count += Int(row.integer(3))
            sum?.lon += row.integer(4)
            sum?.lat += row.integer(5)
        }
        if let sum, sum.count > 0 { try body(sum) }
    }

    func count(of cell: Cell) throws -> Int {
        var count = 0
        try read(cell.number...cell.number) { count = $0.count }
        return count
    }

    private func isWanted(_ row: StatementRow) -> Bool {
        let status = row.blob(1)
        guard statuses.contains(where: { status.equals($0) }) else { return false }
        guard let species else { return true }
        return row.blob(2).equals(species)
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func equals(_ bytes: [UInt8]) -> Bool {
        guard count == bytes.count, let baseAddress else { return false }
        return memcmp(baseAddress, bytes, count) == 0
    }
}

extension ListingQuery {
    /// The conditions on status and species in SQL.
    var kindCondition: String {
        let statuses = statuses.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        return "status IN (\(statuses))" + (species.map { " AND species = '\($0.rawValue)'" } ?? "")
    }
}

extension ListingTally {
    init(_ sum: CellCounts.Sum) {
        self.init(count: ListingCount(count: sum.count), lon: sum.lon, lat: sum.lat)
    }
}
