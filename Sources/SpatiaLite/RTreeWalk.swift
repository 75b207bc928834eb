import CSpatiaLite
package import Domain
import HeapModule
package import SQL

/// Returns the entries of an R*Tree in the order of distance. A node is read from the tree's table only if no unread
/// entry is nearer.
///
/// SQLite's own interface for this, a query callback, calls a function pointer for every entry, stores each entry as a
/// search point and returns an SQL row for each, which takes several times as long. The node format is documented and
/// stable: https://sqlite.org/rtree.html, "Shadow Tables".
package struct RTreeWalk: ~Copyable {
    private struct Step: Comparable {
        /// A score that increases with the distance.
        let score: Double
        /// The number of a node or a row.
        let number: Int64
        /// The height of the subtree, including the node itself; 0 for a row.
        let height: Int

        static func < (a: Step, b: Step) -> Bool { a.score < b.score }
    }

    private var question: rtree_question
    private var queue: Heap<Step> = [Step(score: 0, number: rootNumber, height: .max)]
    private let nodes: PreparedStatement
    private let isWanted: (Int64) -> Bool
    package private(set) var nodesRead = 0

    /// - Parameters:
    ///   - table: The name of SpatiaLite's spatial index.
    ///   - range: The minimum and maximum distance from the centre in metres.
    ///   - isWanted: Returns whether the entry with a number is relevant.
    package init(
        _ db: SQLConnection,
        table: String,
        centre: Coordinate,
        range: ClosedRange<Double>,
        box: BoundingBox?,
        where isWanted: @escaping (Int64) -> Bool
    ) throws {
        question = rtree_ask(centre.lon, centre.lat, range.lowerBound, range.upperBound)
        if let box {
            (question.west, question.south) = (box.southWest.lon, box.southWest.lat)
            (question.east, question.north) = (box.northEast.lon, box.northEast.lat)
        }
        nodes = try PreparedStatement(db, "SELECT data FROM \(table)_node WHERE nodeno = ?")
        self.isWanted = isWanted
    }

    /// Reduces the maximum distance, in metres.
    package mutating func narrow(to metres: Double) {
        rtree_narrow(&question, metres)
    }

    /// Returns the number of the next row that may lie in the circle and the box, or nil after the last one.
    package mutating func next() throws -> Int64? {
        while let step = queue.popMin(), step.score <= question.most {
            if step.height == 0 { return step.number }
            try read(step)
        }
        return nil
    }

    private mutating func read(_ step: Step) throws {
        try nodes.restart(step.number)
        guard try nodes.next() else { throw Self.damaged(step.number) }
        nodesRead += 1
        let bytes = nodes.row.blob(0)
        guard bytes.count >= Self.headerSize, let base = bytes.baseAddress else { throw Self.damaged(step.number) }
        // Only the root node stores the height of the tree.
        let height = step.height == .max ? bytes.bigEndian(at: 0) : step.height - 1
        let count = bytes.bigEndian(at: 2)
        guard height <= Self.highest, bytes.count >= Self.headerSize + count * Self.entrySize else {
            throw Self.damaged(step.number)
        }
        for start in stride(from: Self.headerSize, to: Self.headerSize + count * Self.entrySize, by: Self.entrySize) {
            let number = Int64(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: Int64.self))
            guard height > 0 || isWanted(number) else { continue }
            let score = rtree_score(&question, base + start)
            if score < .infinity { queue.insert(Step(score: score, number: number, height: height)) }
        }
    }

    /// Returns the bounding box of all entries, rounded to 32-bit floats, or nil if the tree is empty.
    package static func extent(_ db: SQLConnection, table: String) throws -> BoundingBox? {
        let root = try PreparedStatement(db, "SELECT data FROM \(table)_node WHERE nodeno = ?", [.integer(rootNumber)])
        guard try root.next() else { throw damaged(rootNumber) }
        let bytes = root.row.blob(0)
        guard bytes.count >= headerSize, bytes.count >= headerSize + bytes.bigEndian(at: 2) * entrySize else {
            throw damaged(rootNumber)
        }
        let boxes = (0..<bytes.bigEndian(at: 2)).map { entry in
            (0..<4).map { side in
                let start = headerSize + entry * entrySize + 8 + 4 * side
                return Double(
                    Float(bitPattern: UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
                )
            }
        }
        guard let west = boxes.map({ $0[0] }).min(), let east = boxes.map({ $0[1] }).max(),
            let south = boxes.map({ $0[2] }).min(), let north = boxes.map({ $0[3] }).max(),
            let southWest = Coordinate(lon: max(west, -180), lat: max(south, -90)),
            let northEast = Coordinate(lon: min(east, 180), lat: min(north, 90))
        else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
    }

    private static func damaged(_ node: Int64) -> SQLiteError {
        SQLiteError(SQLITE_CORRUPT, "R*Tree: node \(node) is not readable")
    }

    private static var rootNumber: Int64 { 1 }
    private static var headerSize: Int { 4 }
    private static var entrySize: Int { 24 }
    /// The maximum depth that SQLite allows.
    private static var highest: Int { 40 }
}

extension UnsafeRawBufferPointer {
    fileprivate func bigEndian(at offset: Int) -> Int {
        Int(UInt16(bigEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    }
}
