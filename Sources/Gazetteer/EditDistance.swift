/// Edit distances between one word and a sorted sequence of others, row by row, so that shared beginnings cost nothing.
///
/// A transposition of neighbours counts as one edit: the optimal string alignment distance.
struct EditDistance {
    let word: [UInt8]
    let limit: Int
    private var rows: [[Int]]
    private var other: [UInt8] = []

    init(_ word: [UInt8], limit: Int) {
        self.word = word
        self.limit = limit
        rows = [Array(0...word.count)]
    }

    /// How many letters of the last word must stay for another word to be near; nil where it is near already.
    ///
    /// - Parameter shared: how many first letters the next word has in common with the last one.
    mutating func advance(to next: UnsafeRawBufferPointer, shared: Int) -> Int? {
        let kept = min(shared, rows.count - 1)
        rows.removeLast(rows.count - 1 - kept)
        other.removeLast(max(0, other.count - kept))
        for letter in next[kept...] {
            guard append(letter) else { return rows.count - 1 }
        }
        return nil
    }

    /// The distance to the last word advanced to.
    var distance: Int { rows[rows.count - 1][word.count] }

    /// The least distance to any beginning of it.
    var prefixDistance: Int { rows.reduce(Int.max) { min($0, $1[word.count]) } }

    /// Adds a letter; false where no word that begins so is within the limit.
    private mutating func append(_ letter: UInt8) -> Bool {
        let above = rows[rows.count - 1]
        var row = [rows.count]
        row.reserveCapacity(word.count + 1)
        for column in 1..<word.count + 1 {
            let cost = word[column - 1] == letter ? 0 : 1
            var best = min(above[column - 1] + cost, above[column] + 1, row[column - 1] + 1)
            if column > 1, let last = other.last, letter == word[column - 2], last == word[column - 1], rows.count > 1 {
                best = min(best, rows[rows.count - 2][column - 2] + 1)
            }
            row.append(best)
        }
        other.append(letter)
        rows.append(row)
        return row.contains { $0 <= limit }
    }
}
