import Domain

/// An inverted index of the words of all names: those of the file, front-coded in blocks of 16, and those that a language adds.
struct NameIndex: Sendable {
    private static let blockSize = 16

    /// An occurrence of a word: a name and the word's position in it.
    struct Posting {
        let value: UInt32
        var name: Int { Int(value >> 4) }
        var position: Int { Int(value & 15) }
    }

    /// A word of the index and its range of postings.
    struct Word {
        let postings: Range<Int>
        /// 1 for the exact word, less for a longer word with this prefix or for a misspelling.
        let quality: Float
    }

    private let blocks: Section
    private let text: Section
    private let postings: Section
    private let names: Section
    private let postalCodes: Section
    private var added = AddedNames()

    init(_ file: TableFile) throws(GazetteerError) {
        blocks = try file.section("WBLK", stride: 8)
        text = try file.section("WORD", stride: 1)
        postings = try file.section("PSTG", stride: 4)
        names = try file.section("NAME", stride: 4)
        postalCodes = try file.section("POST", stride: 8)
    }

    /// Returns the index with further names of places.
    func adding(_ names: [(place: Int, name: String)]) -> NameIndex {
        var result = self
        result.added = AddedNames(names, firstName: self.names.count, firstPosting: postings.count)
        return result
    }

    func posting(_ index: Int) -> Posting {
        Posting(value: index < postings.count ? postings.integer(index) : added.postings[index - postings.count])
    }

    func place(ofName name: Int) -> Int { Int(record(ofName: name) >> 5) }
    func isAlternate(_ name: Int) -> Bool { record(ofName: name) & 16 != 0 }
    func wordCount(ofName name: Int) -> Int { Int(record(ofName: name) & 15) }
    /// Whether these are postings of an added word. All words of a name are in the file, or all are added.
    func areAdded(_ range: Range<Int>) -> Bool { range.lowerBound >= postings.count }

    private func record(ofName name: Int) -> UInt32 {
        name < names.count ? names.integer(name) : added.names[name - names.count]
    }

    /// Returns at most `limit` places in Italy whose postal code begins with the digits.
    func places(withPostalCode digits: String, atMost limit: Int) -> [Int] {
        guard let number = UInt32(digits), digits.utf8.count <= 5 else { return [] }
        let scale = (0..<5 - digits.utf8.count).reduce(UInt32(1)) { value, _ in value * 10 }
        func firstPlace(notBefore code: UInt32) -> Int {
            (0..<postalCodes.count).partitioningIndex { postalCodes.integer($0, at: 0, as: UInt32.self) >= code }
        }
        let (lower, upper) = (firstPlace(notBefore: number * scale), firstPlace(notBefore: (number + 1) * scale))
        return (lower..<min(upper, lower + limit)).map { Int(postalCodes.integer($0, at: 4, as: UInt32.self)) }
    }

    /// Returns the word itself, if it occurs in a name, and again if it occurs in an added one.
    func exact(_ word: String) -> [Word] {
        let key = Array(word.utf8)
        var found: [Word] = []
        walkAll(from: key) { other, _, postings in
            if other.elementsEqual(key) { found.append(Word(postings: postings, quality: 1)) }
            return .stop
        }
        return found
    }

    /// Returns the words with a prefix, including the word itself. Words with a prefix of one letter are combined into
    /// one entry, because there are thousands of them.
    func prefixed(_ word: String) -> [Word] {
        let key = Array(word.utf8)
        if key.count == 1 {
            let begun = [postings(beginning: key), added.postings(beginning: key)]
            return exact(word) + begun.map { Word(postings: $0, quality: 0.65) }
        }
        var found: [Word] = []
        walkAll(from: key) { other, _, postings in
            guard other.starts(with: key) else { return .stop }
            let share = Float(key.count) / Float(max(1, other.count))
            found.append(Word(postings: postings, quality: share == 1 ? 1 : 0.6 + 0.3 * share))
            return .next
        }
        return found
    }

    /// Returns the postings of all words with a prefix, which are contiguous.
    private func postings(beginning key: [UInt8]) -> Range<Int> {
        // The byte 255 does not occur in UTF-8, so the last byte can be incremented.
        let after = key.dropLast() + [key[key.count - 1] + 1]
        let start = firstPosting(notBefore: key)
        return start..<max(start, firstPosting(notBefore: Array(after)))
    }

    private func firstPosting(notBefore key: [UInt8]) -> Int {
        var first = postings.count
        walk(from: key) { _, _, postings in
            first = postings.lowerBound
            return .stop
        }
        return first
    }

    func postingCount(_ words: [Word]) -> Int { words.reduce(0) { $0 + $1.postings.count } }

    /// Returns the words within the edit distance that is allowed for the word's length, and longer words with such a
    /// prefix if `asPrefix` is set.
    ///
    /// - Parameter sameLetter: Whether only words with the same first letter are compared, which is fast. Otherwise all
    ///   words are compared, with at most one edit.
    func misspelt(_ word: String, asPrefix: Bool, sameLetter: Bool) -> [Word] {
        let key = Array(word.utf8)
        let most = EditDistance.limit(forWord: word)
        let limit = sameLetter ? most : min(1, most)
        guard limit > 0 else { return [] }
        var distance = EditDistance(key, limit: limit)
        var found: [Word] = []
        walkAll(from: sameLetter ? Array(key.prefix(1)) : []) { other, shared, postings in
            if sameLetter, other.first != key.first { return .stop }
            if let length = distance.advance(to: other, shared: shared) {
                let edits = asPrefix ? distance.prefixDistance : Int.max
                if edits <= limit {
                    found.append(Word(postings: postings, quality: 0.55 - 0.15 * Float(edits)))
                    return .next
                }
                return .skip(length)
            }
            let edits = distance.distance
            let begun = asPrefix ? distance.prefixDistance : edits
            if edits <= limit {
                found.append(Word(postings: postings, quality: 0.8 - 0.15 * Float(edits)))
            } else if begun <= limit {
                found.append(Word(postings: postings, quality: 0.55 - 0.15 * Float(begun)))
            }
            return .next
        }
        return found
    }
}

extension NameIndex {
    enum Step {
        case next
        case stop
        /// Skips the words that share a prefix of this many bytes with the current one.
        case skip(Int)
    }

    /// Receives a word, the number of leading bytes that it shares with the last visited word, and its postings.
    typealias Visitor = (_ word: UnsafeRawBufferPointer, _ shared: Int, _ postings: Range<Int>) -> Step

    /// Visits the words of the file and then the added ones, each in order from the first word that is not less than `key`.
    private func walkAll(from key: [UInt8], _ visit: Visitor) {
        walk(from: key, visit)
        added.walk(from: key, visit)
    }

    /// Visits the words of the file.
    private func walk(from key: [UInt8], _ visit: Visitor) {
        let first = firstBlock(after: key)
        var buffer: [UInt8] = []
        buffer.reserveCapacity(64)
        var seen = 0
        var skipping = Int.max
        var block = max(0, first - 1)
        walk: while block < blocks.count {
            var cursor = Int(blocks.integer(block, at: 0, as: UInt32.self))
            var posting = Int(blocks.integer(block, at: 4, as: UInt32.self))
            let end = block + 1 < blocks.count ? Int(blocks.integer(block + 1, at: 0, as: UInt32.self)) : text.count
            while cursor < end {
                let (shared, count) = read(&cursor, into: &buffer)
                let postings = posting..<posting + count
                posting += count
                seen = min(seen, shared)
                if shared >= skipping { continue }
                skipping = .max
                if buffer.lexicographicallyPrecedes(key) { continue }
                let step = buffer.withUnsafeBytes { visit($0, seen, postings) }
                seen = buffer.count
                switch step {
                case .next: break
                case .stop: return
                case .skip(let length):
                    skipping = length
                    let target = self.block(past: buffer.prefix(length), from: block)
                    if target > block {
                        block = target
                        continue walk
                    }
                }
            }
            block += 1
        }
    }

    /// Returns the block in which the words with a prefix end.
    private func block(past prefix: ArraySlice<UInt8>, from block: Int) -> Int {
        guard block + 1 < blocks.count, firstWord(block + 1).starts(with: prefix) else { return block }
        var successor = Array(prefix)
        // The byte 255 does not occur in UTF-8, so the last byte can be incremented.
        successor[successor.count - 1] += 1
        return max(block, firstBlock(after: successor) - 1)
    }

    /// Decodes the next word into the buffer that holds the previous one. Returns the number of bytes they share and
    /// the word's number of postings.
    private func read(_ cursor: inout Int, into buffer: inout [UInt8]) -> (shared: Int, count: Int) {
        let stored = Int(text.integer(cursor, as: UInt8.self))
        let added = Int(text.integer(cursor + 1, as: UInt8.self))
        precondition(stored <= buffer.count && cursor + 4 + added <= text.count)
        let letters = text.bytes[cursor + 2..<cursor + 2 + added]
        var shared = stored
        // The first word of a block is stored in full, so the length that it shares with the previous word has to be
        // computed.
        if stored == 0 { shared = zip(buffer, letters).prefix { $0 == $1 }.count }
        buffer.removeLast(buffer.count - stored)
        buffer.append(contentsOf: letters)
        let count = text.bytes.loadUnaligned(fromByteOffset: cursor + 2 + added, as: UInt16.self).littleEndian
        cursor += 4 + added
        return (shared, Int(count))
    }

    private func firstWord(_ block: Int) -> Slice<UnsafeRawBufferPointer> {
        let start = Int(blocks.integer(block, at: 0, as: UInt32.self))
        let count = Int(text.integer(start + 1, as: UInt8.self))
        precondition(start + 2 + count <= text.count)
        return text.bytes[start + 2..<start + 2 + count]
    }

    private func firstBlock(after key: [UInt8]) -> Int {
        (0..<blocks.count).partitioningIndex { key.lexicographicallyPrecedes(firstWord($0)) }
    }
}
