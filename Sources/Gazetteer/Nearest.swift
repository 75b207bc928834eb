/// The nearest points found so far, in memory that the caller provides. A search keeps a few of thousands of points; a
/// growing, bounds-checked array would cost as much time as the tree search.
struct Nearest {
    struct Found {
        fileprivate(set) var squared: Float
        fileprivate let number: Int32

        var index: Int { Int(number) }
    }

    /// The size of a subtree that is scanned linearly, which is faster than descending further.
    static let leaf = 10

    private let memory: UnsafeMutableBufferPointer<Found>
    private var count = 0
    /// The index of the entry that is replaced next when the memory is full.
    private var furthest = 0
    /// The squared distance from which on a point is rejected.
    private(set) var limit: Float

    /// - Parameter memory: Memory for the requested number of points, at least one.
    init(_ memory: UnsafeMutableBufferPointer<Found>, within limit: Float) {
        precondition(!memory.isEmpty)
        self.memory = memory
        self.limit = limit
    }

    /// - Parameter squared: The squared distance, which must be less than `limit`.
    @inline(__always)
    mutating func insert(_ index: Int, _ squared: Float) {
        let isFull = count == memory.count
        memory.initializeElement(
            at: isFull ? furthest : count,
            to: Found(squared: squared, number: Int32(truncatingIfNeeded: index))
        )
        if !isFull { count += 1 }
        if count == memory.count { findFurthest() }
    }

    /// Scanning all entries is faster than keeping them sorted: nothing moves and no branch is mispredicted.
    @inline(__always)
    private mutating func findFurthest() {
        var most = memory[0].squared
        furthest = 0
        for index in 1..<count {
            let squared = memory[index].squared
            furthest = squared > most ? index : furthest
            most = squared > most ? squared : most
        }
        limit = min(limit, most)
    }

    /// Transforms the points found, in no particular order.
    func map<Value>(_ transform: (Found) -> Value) -> [Value] {
        (0..<count).map { transform(memory[$0]) }
    }
}
