/// Edit distances between one word and a sorted sequence of others, row by row, so that shared beginnings cost nothing.
///
/// A transposition of neighbours counts as one edit: the optimal string alignment distance. Only the cells within the limit
/// of the diagonal are computed, and distances beyond the limit are all told as one more than it.
struct EditDistance {
    private let word: [UInt8]
    private let limit: Int
    private let width: Int
    /// One row of `width` cells for each letter of the other word, and one before the first.
    private var cells: [Int]
    private var other: [UInt8] = []
    /// How many letters of the last word no word that is near begins with.
    private var givenUp: Int?

    init(_ word: [UInt8], limit: Int) {
        self.word = word
        self.limit = limit
        width = word.count + 1
        cells = (0...word.count).map { min($0, limit + 1) }
    }

    /// How many edits a word may be wrong by.
    static func limit(forWord word: String) -> Int {
        let count = word.utf8.count
        return count < 4 ? 0 : count < 8 ? 1 : 2
    }

    /// The distance to the next word of a sorted sequence; nil where it is not near.
    mutating func move(to next: UnsafeRawBufferPointer) -> Int? {
        let shared = zip(other, next).prefix { $0 == $1 }.count
        // What was given up on needs no second look in words that begin so.
        if let given = givenUp, shared >= given { return nil }
        givenUp = advance(to: next, shared: shared)
        return givenUp == nil && distance <= limit ? distance : nil
    }

    /// How many letters of the last word must stay for another word to be near; nil where it is near already.
    ///
    /// - Parameter shared: how many first letters the next word has in common with the last one.
    mutating func advance(to next: UnsafeRawBufferPointer, shared: Int) -> Int? {
        let kept = min(shared, other.count)
        other.removeLast(other.count - kept)
        for letter in next[kept...] {
            guard append(letter) else { return other.count }
        }
        return nil
    }

    /// The distance to the last word advanced to.
    var distance: Int { cells[other.count * width + word.count] }

    /// The least distance to any beginning of it.
    var prefixDistance: Int {
        var least = limit + 1
        for row in stride(from: max(0, word.count - limit), through: min(other.count, word.count + limit), by: 1) {
            least = min(least, cells[row * width + word.count])
        }
        return least
    }

    /// Adds a letter; false where no word that begins so is within the limit.
    private mutating func append(_ letter: UInt8) -> Bool {
        let above = other.count * width
        let row = above + width
        if cells.count < row + width { cells += repeatElement(limit + 1, count: row + width - cells.count) }
        let depth = other.count + 1
        cells[row] = min(depth, limit + 1)
        var least = cells[row]
        for column in stride(from: 1, to: width, by: 1) {
            guard abs(column - depth) <= limit else {
                cells[row + column] = limit + 1
                continue
            }
            let cost = word[column - 1] == letter ? 0 : 1
            var best = min(cells[above + column - 1] + cost, cells[above + column] + 1, cells[row + column - 1] + 1)
            if column > 1, depth > 1, letter == word[column - 2], other[depth - 2] == word[column - 1] {
                best = min(best, cells[above - width + column - 2] + 1)
            }
            cells[row + column] = min(best, limit + 1)
            least = min(least, best)
        }
        other.append(letter)
        return least <= limit
    }
}
