/// Computes edit distances between one word and a sorted sequence of other words. Rows of the matrix are reused for
/// common prefixes.
///
/// A transposition of adjacent letters counts as one edit (optimal string alignment distance). Only cells within
/// `limit` of the diagonal are computed; every distance above the limit is reported as `limit + 1`.
struct EditDistance {
    private let word: [UInt8]
    private let limit: Int
    private let width: Int
    /// One row of `width` cells for each letter of the other word, plus the initial row.
    private var cells: [Int]
    private var other: [UInt8] = []
    /// The length of the prefix of the last word that already exceeds the limit, so that no word with this prefix can
    /// match.
    private var givenUp: Int?

    init(_ word: [UInt8], limit: Int) {
        self.word = word
        self.limit = limit
        width = word.count + 1
        cells = (0...word.count).map { min($0, limit + 1) }
    }

    /// Returns the maximum number of edits for a word, by its length in UTF-8 bytes.
    static func limit(forWord word: String) -> Int {
        let count = word.utf8.count
        return count < 4 ? 0 : count < 8 ? 1 : 2
    }

    /// Returns the distance to the next word of a sorted sequence, or nil if it exceeds the limit.
    mutating func move(to next: UnsafeRawBufferPointer) -> Int? {
        let shared = zip(other, next).prefix { $0 == $1 }.count
        // A prefix that exceeded the limit needs no second check in the words that share it.
        if let given = givenUp, shared >= given { return nil }
        givenUp = advance(to: next, shared: shared)
        return givenUp == nil && distance <= limit ? distance : nil
    }

    /// Advances to the next word. Returns nil if the whole word was read, otherwise the length of its prefix that
    /// exceeds the limit.
    ///
    /// - Parameter shared: The number of leading letters that the next word shares with the last one.
    mutating func advance(to next: UnsafeRawBufferPointer, shared: Int) -> Int? {
        let kept = min(shared, other.count)
        other.removeLast(other.count - kept)
        for letter in next[kept...] {
            guard append(letter) else { return other.count }
        }
        return nil
    }

    /// The distance to the word given to `advance(to:shared:)` last.
    var distance: Int { cells[other.count * width + word.count] }

    /// The minimum distance to any prefix of that word.
    var prefixDistance: Int {
        var least = limit + 1
        for row in stride(from: max(0, word.count - limit), through: min(other.count, word.count + limit), by: 1) {
            least = min(least, cells[row * width + word.count])
        }
        return least
    }

    /// Appends a letter. Returns false if no word with the resulting prefix can be within the limit.
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
