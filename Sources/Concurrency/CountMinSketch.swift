/// A number for each key, in memory of a fixed size: a count-min sketch. A hash assigns each key to one cell in each of
/// two rows. The number of a key is the smaller one of its two cells, because the other one may contain the number of
/// another key. An attacker with a million keys fills cells and not memory. The numbers are 0 at first.
struct CountMinSketch: Sendable {
    /// The number of cells in each row.
    private let cells: Int
    private var rows: [Double]

    init(cells: Int) {
        self.cells = cells
        rows = Array(repeating: 0, count: 2 * cells)
    }

    /// - Parameter hash: a hash of the key that clients cannot predict.
    subscript(hash: Int) -> Double {
        get {
            let (first, second) = places(hash)
            return min(rows[first], rows[second])
        }
        set {
            let (first, second) = places(hash)
            let old = min(rows[first], rows[second])
            // A cell with a larger number is that of another key.
            rows[first] = rows[first] > old ? max(rows[first], newValue) : newValue
            rows[second] = rows[second] > old ? max(rows[second], newValue) : newValue
        }
    }

    private func places(_ hash: Int) -> (Int, Int) {
        let bits = UInt(bitPattern: hash)
        return (Int(bits % UInt(cells)), cells + Int((bits >> 32) % UInt(cells)))
    }
}
