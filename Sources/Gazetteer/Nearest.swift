/// The nearest so far, in memory that its user lends: a search keeps a few of thousands, and an array that grows and checks would
/// cost it as much as the tree does.
struct Nearest {
    struct Found {
        fileprivate(set) var squared: Float
        fileprivate let number: Int32

        var index: Int { Int(number) }
    }

    /// So few neighbours in a tree's array are looked at one after the other: quicker than to choose among them.
    static let leaf = 10

    private let memory: UnsafeMutableBufferPointer<Found>
    private var count = 0
    /// Which of them the next one replaces, once the memory is full.
    private var furthest = 0
    /// Squared distance from which on nothing is of use.
    private(set) var limit: Float

    /// - Parameter memory: room for as many as are wanted, at least one.
    init(_ memory: UnsafeMutableBufferPointer<Found>, within limit: Float) {
        precondition(!memory.isEmpty)
        self.memory = memory
        self.limit = limit
    }

    /// - Parameter squared: less than the limit.
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

    /// To look at all of them costs less than to keep them in order: nothing moves, and no branch is a guess.
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

    /// What was found, in no order.
    func map<Value>(_ transform: (Found) -> Value) -> [Value] {
        (0..<count).map { transform(memory[$0]) }
    }
}
