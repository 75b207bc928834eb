import Foundation

/// The breeds that a text names.
package struct BreedReading: Equatable, Sendable {
    /// Positions in `BreedReader.keys`, in the order of the text, at most four.
    package var breeds: [UInt16] = []
    /// Whether the text speaks of a cross or names several breeds.
    package var isMixed = false
    /// Words of size, such as "toy" and "standard".
    package var size: Listing.Size?
    package var isPuppy = false

    package init() {}
}

/// Reads breeds as people write them: by the names of the breed table, by short words, by beginnings of words and by words
/// with one wrong letter.
package struct BreedReader: Sendable {
    package static let maxBreeds = 4
    /// The number of words of the longest name that is read.
    private static let maxNameWords = 6

    package let keys: [String]
    /// The position of each key.
    package let positions: [String: UInt16]
    /// The share of each breed among the animals of its species whose breed is known.
    package let shares: [Float]
    /// Changes with the tables, that of colours included, and with `version`. What was read otherwise must be read again.
    package let fingerprint: UInt32
    /// Raise it when the same text is to be read in another way, also with other tables of `SearchText`.
    private static let version: UInt8 = 3
    private var names: [String: [UInt16]] = [:]
    /// The words for which short ones stand: "gsd".
    package let short: [String: [String]]
    /// The words of all names with the frequency of their breeds, sorted by word.
    private var vocabulary: [(word: [UInt8], frequency: Int)] = []
    private var known: Set<String> = []
    /// The most frequent breed with a word in its name, for words such as "weimaraner" and "russell".
    private var byWord: [String: UInt16] = [:]

    private static let others = Language.tables("breed-other").flatMap(\.table.rows)
    /// Words that say that an animal is a cross, folded.
    package static let mixedWords = words("mixed")
    private static let smallWords = words("small")
    private static let mediumWords = words("medium")
    private static let largeWords = words("large")
    private static let puppyWords = words("puppy")
    /// Words that never name a breed on their own.
    static let plainWords = words("plain")
    /// Words that connect a word for a cross with the names of the parents' breeds.
    static let joiningWords = words("joint")

    private static func words(_ kind: String) -> Set<String> {
        Set(others.filter { $0[0] == kind }.flatMap { $0[1].split(separator: " ").map(String.init) })
    }

    /// The least frequency of a word for which an unknown word may stand: other words are like names of rare breeds only by
    /// chance. In the unit of `Breed.frequency`, for all breeds with the word together.
    private static let leastFrequency = 5

    /// The breeds that a name means which is not a breed's name, or which is that of several breeds.
    static let meanings = rows("breed-names")

    /// Returns the rows of a table in all languages. Of a word in several languages, the first one has a row.
    private static func rows(_ table: String) -> [[Substring]] {
        var known: Set<Substring> = []
        return Language.tables(table).flatMap(\.table.rows).filter { known.insert($0[0]).inserted }
    }

    init(_ breeds: [Breed]) {
        keys = breeds.map(\.key)
        positions = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, UInt16($0)) })
        shares = Self.shares(breeds)
        short = Dictionary(
            uniqueKeysWithValues: Self.rows("breed-words").map { row in
                (String(row[0]), row[1].split(separator: " ").map(String.init))
            }
        )
        fingerprint = stableHash(
            breeds.flatMap { Array(([$0.key] + $0.names + $0.synonyms).joined().utf8) }
                + ["breed-words", "breed-names", "breed-other"].flatMap(Language.bytes(ofTables:))
                + ColourReader.bytes + [Self.version]
        )
        addNames(of: breeds)
        add(Self.meanings)
        vocabulary.sort { $0.word.lexicographicallyPrecedes($1.word) }
    }

    private static func shares(_ breeds: [Breed]) -> [Float] {
        let known = breeds.filter { $0.key != Breed.mixedKey && $0.key != "domestic_cat" }
        let sums = Dictionary(grouping: known, by: \.species).mapValues { $0.reduce(0) { $0 + $1.frequency } }
        return breeds.map { (Float($0.frequency) + 0.5) / Float(max(1, sums[$0.species] ?? 1)) }
    }

    private mutating func addNames(of breeds: [Breed]) {
        var frequencies: [String: Int] = [:]
        var best: [String: Int] = [:]
        for (position, breed) in breeds.enumerated() {
            for name in [breed.key] + breed.names + breed.synonyms {
                let parts = canonical(name.folded.split(separator: " ").map(String.init))
                let joined = parts.joined(separator: " ")
                if names[joined] == nil { names[joined] = [UInt16(position)] }
                for word in parts { frequencies[word, default: 0] += breed.frequency + 1 }
            }
            for word in Set(canonical(breed.names.joined(separator: " ").folded.split(separator: " ").map(String.init)))
            where word.utf8.count >= 5 && !Self.plainWords.contains(word) && best[word, default: -1] < breed.frequency {
                best[word] = breed.frequency
                byWord[word] = UInt16(position)
            }
        }
        known = Set(frequencies.keys)
        vocabulary = frequencies.map { (Array($0.key.utf8), $0.value) }
    }

    private mutating func add(_ meanings: [[Substring]]) {
        for row in meanings {
            let found = row[1].split(separator: " ").compactMap { positions[String($0)] }
            let joined = canonical(row[0].folded.split(separator: " ").map(String.init)).joined(separator: " ")
            names[joined] = found
            known.formUnion(joined.split(separator: " ").map(String.init))
        }
        // Crosses with names of their own count as their parents wherever the names come from.
        for row in meanings {
            guard let cross = positions[String(row[0])], row[1].contains(" ") else { continue }
            let parents = row[1].split(separator: " ").compactMap { positions[String($0)] }
            for (name, found) in names where found == [cross] { names[name] = parents }
        }
    }

    private func canonical(_ words: some Collection<String>) -> [String] { words.flatMap { short[$0] ?? [$0] } }

    package func read(_ text: String) -> BreedReading {
        var reading = BreedReading()
        let plain = text.foldedWords()
        note(plain, &reading)
        let repaired = canonical(plain).flatMap(repair)
        var start = 0
        while start < repaired.count {
            start += take(repaired[start...], &reading)
        }
        if reading.breeds.count > 1 { reading.isMixed = true }
        return reading
    }

    /// Reads the words that tell something else than the breed.
    private func note(_ words: [String], _ reading: inout BreedReading) {
        for word in words {
            let word = short[word]?.first ?? word
            if Self.mixedWords.contains(word) { reading.isMixed = true }
            if Self.smallWords.contains(word) { reading.size = .small }
            if Self.largeWords.contains(word) { reading.size = .large }
            if Self.mediumWords.contains(word) { reading.size = .medium }
            if Self.puppyWords.contains(word) { reading.isPuppy = true }
        }
    }

    /// Takes the longest name at the beginning of the words. Returns the number of words taken, at least one.
    private func take(_ words: ArraySlice<String>, _ reading: inout BreedReading) -> Int {
        for length in stride(from: min(words.count, Self.maxNameWords), to: 0, by: -1) {
            guard let found = names[words.prefix(length).joined(separator: " ")] else { continue }
            add(found, &reading)
            return length
        }
        if let first = words.first, let found = byWord[first] { add([found], &reading) }
        return 1
    }

    private func add(_ found: [UInt16], _ reading: inout BreedReading) {
        for breed in found {
            if keys[Int(breed)] == Breed.mixedKey {
                reading.isMixed = true
            } else if !reading.breeds.contains(breed), reading.breeds.count < Self.maxBreeds {
                reading.breeds.append(breed)
            }
        }
    }

    /// The folded names that people use for breeds.
    package var allNames: [String] { Array(names.keys) }

    /// Whether folded words are a whole name, or one that people use for breeds.
    package func isName(_ words: some Collection<String>) -> Bool {
        names[canonical(words).joined(separator: " ")] != nil
    }

    /// Returns the word of frequent breeds' names that a folded word stands for with one wrong letter.
    package func correction(of word: String) -> String? {
        guard !Self.plainWords.contains(word) else { return nil }
        return misspelt(Array(word.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the words of names that an unknown word stands for.
    private func repair(_ word: String) -> [String] {
        if known.contains(word) || Self.plainWords.contains(word) || Self.mixedWords.contains(word) { return [word] }
        if word.hasSuffix("x"), case let stem = String(word.dropLast()), known.contains(stem) || short[stem] != nil {
            return canonical([stem])
        }
        if word.hasSuffix("s"), case let stem = String(word.dropLast()), known.contains(stem) || short[stem] != nil {
            return canonical([stem])
        }
        let bytes = Array(word.utf8)
        guard bytes.count >= 3, bytes.allSatisfy({ $0 > 57 }) else { return [word] }
        guard let found = beginning(bytes) ?? misspelt(bytes) else { return [word] }
        return canonical([String(decoding: found, as: UTF8.self)])
    }

    /// The word of the most frequent breeds that begins with these letters.
    private func beginning(_ letters: [UInt8]) -> [UInt8]? {
        let start = vocabulary.partitioningIndex { !$0.word.lexicographicallyPrecedes(letters) }
        return vocabulary[start...].prefix { $0.word.starts(with: letters) }
            .filter { $0.word.count > letters.count && $0.frequency >= Self.leastFrequency }.max {
                $0.frequency < $1.frequency
            }?.word
    }

    /// The word of the most frequent breeds that differs in one letter, or in two letters that changed places.
    private func misspelt(_ letters: [UInt8]) -> [UInt8]? {
        guard letters.count >= 5 else { return nil }
        return vocabulary.lazy.filter { $0.frequency >= Self.leastFrequency && isOneEdit(letters, $0.word) }.max {
            $0.frequency < $1.frequency
        }?.word
    }
}
