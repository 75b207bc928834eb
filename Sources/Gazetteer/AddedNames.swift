import Domain

/// An index of names in memory, whose names and postings are numbered on from those of the file.
struct AddedNames: Sendable {
    private struct Word {
        let bytes: [UInt8]
        let postings: Range<Int>
    }

    /// Sorted.
    private var words: [Word] = []
    /// As in the file's sections `NAME` and `PSTG`.
    private(set) var names: [UInt32] = []
    private(set) var postings: [UInt32] = []

    init() {}

    /// - Parameters:
    ///   - firstName: the number of the first name.
    ///   - firstPosting: the number of the first posting.
    init(_ named: [(place: Int, name: String)], firstName: Int, firstPosting: Int) {
        var listed: [String: [UInt32]] = [:]
        // The postings of a word are sorted by place.
        for (place, name) in named.sorted(by: { $0.place < $1.place }) {
            let parts = name.nameWords.prefix(15)
            for (position, word) in parts.enumerated() {
                listed[word, default: []].append(UInt32(firstName + names.count) << 4 | UInt32(position))
            }
            // 16: not the first name of the place.
            names.append(UInt32(place) << 5 | 16 | UInt32(parts.count))
        }
        for (bytes, values) in listed.map({ (Array($0.utf8), $1) }).sorted(by: { $0.0.lexicographicallyPrecedes($1.0) })
        {
            let start = firstPosting + postings.count
            words.append(Word(bytes: bytes, postings: start..<start + values.count))
            postings += values
        }
    }

    /// Visits the words in order, from the first word that is not less than `key`. No words are skipped: they are few.
    func walk(from key: [UInt8], _ visit: NameIndex.Visitor) {
        var last: [UInt8] = []
        for word in words[firstWord(notBefore: key)...] {
            let shared = zip(last, word.bytes).prefix { $0 == $1 }.count
            if case .stop = word.bytes.withUnsafeBytes({ visit($0, shared, word.postings) }) { return }
            last = word.bytes
        }
    }

    /// Returns the postings of all words with a prefix, which are contiguous.
    func postings(beginning key: [UInt8]) -> Range<Int> {
        let found = words[firstWord(notBefore: key)...].prefix { $0.bytes.starts(with: key) }
        guard let first = found.first, let last = found.last else { return 0..<0 }
        return first.postings.lowerBound..<last.postings.upperBound
    }

    private func firstWord(notBefore key: [UInt8]) -> Int {
        words.partitioningIndex { !$0.bytes.lexicographicallyPrecedes(key) }
    }
}
