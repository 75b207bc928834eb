/// Levenshtein distance to one text, with swapped neighbours as one edit, given up as soon as it is too large.
struct EditDistance {
    private let pattern: [UInt8]
    private var older: [Int]
    private var old: [Int]
    private var row: [Int]

    init(_ pattern: [UInt8]) {
        self.pattern = pattern
        older = []
        old = Array(0...pattern.count)
        row = old
        older = old
    }

    /// Whether the text is at most so many edits away.
    mutating func measure<Text: Collection<UInt8>>(_ text: Text, atMost limit: Int) -> Bool {
        for index in old.indices { old[index] = index }
        var previous: UInt8 = 0
        for (line, byte) in text.enumerated() {
            row[0] = line + 1
            var least = row[0]
            for column in 1...pattern.count {
                let same = pattern[column - 1] == byte
                var cost = min(old[column] + 1, row[column - 1] + 1, old[column - 1] + (same ? 0 : 1))
                if line > 0, column > 1, pattern[column - 2] == byte, pattern[column - 1] == previous {
                    cost = min(cost, older[column - 2] + 1)
                }
                row[column] = cost
                least = min(least, cost)
            }
            guard least <= limit else { return false }
            (older, old, row) = (old, row, older)
            previous = byte
        }
        return old[pattern.count] <= limit
    }
}
