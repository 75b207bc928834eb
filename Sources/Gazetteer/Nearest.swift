/// The nearest so far, nearest first, in memory that its user lends: a search keeps a few of thousands, and an array that grows
/// and checks would cost it as much as the tree does.
struct Nearest {
    struct Found {
        let index: Int
        let squared: Double
    }

    /// So few neighbours in a tree's array are looked at one after the other: quicker than to choose among them.
    static let leaf = 10

    private let memory: UnsafeMutableBufferPointer<Found>
    private let capacity: Int
    private(set) var count = 0
    /// Squared distance from which on nothing is of use.
    private(set) var limit: Double

    /// - Parameter memory: room for one more than there can be.
    init(_ memory: UnsafeMutableBufferPointer<Found>, within limit: Double) {
        precondition(memory.count > 1)
        self.memory = memory
        capacity = memory.count - 1
        self.limit = limit
    }

    /// - Parameter squared: less than the limit.
    @inline(__always)
    mutating func insert(_ index: Int, _ squared: Double) {
        var position = count
        while position > 0, memory[position - 1].squared > squared {
            memory.initializeElement(at: position, to: memory[position - 1])
            position -= 1
        }
        memory.initializeElement(at: position, to: Found(index: index, squared: squared))
        if count < capacity { count += 1 }
        if count == capacity { limit = min(limit, memory[capacity - 1].squared) }
    }

    func map<Value>(_ transform: (Found) -> Value) -> [Value] {
        (0..<count).map { transform(memory[$0]) }
    }
}
