import Domain

/// What a text tells of the breed.
struct BreedReading: Equatable, Sendable {
    /// Positions in `BreedReader.keys`, in the order of the text, at most four.
    var breeds: [UInt16] = []
    /// Whether the text speaks of a cross or names several breeds.
    var isMixed = false
    /// Words of size, such as "toy" and "standard".
    var size: Listing.Size?
    var isPuppy = false
}

/// Reads breeds as people write them: by the names of the breed table, by short words, by beginnings of words and by words
/// with one wrong letter.
struct BreedReader: Sendable {
    static let maxBreeds = 4
    private static let maxNameWords = 6

    let keys: [String]
    /// The position of each key.
    let positions: [String: UInt16]
    /// The share of each breed among the animals of its species whose breed is known.
    let shares: [Float]
    private var names: [String: [UInt16]] = [:]
    private let short: [String: [String]]
    /// The words of all names with the frequency of their breeds, sorted by word.
    private var vocabulary: [(word: [UInt8], frequency: Int)] = []
    private var known: Set<String> = []
    /// The most frequent breed with a word in its name, for words such as "weimaraner" and "russell".
    private var byWord: [String: UInt16] = [:]

    private static let mixedWords: Set<String> = [
        "x", "mix", "mixed", "cross", "crossed", "crossbreed", "mutt", "mongrel", "incrocio", "incrociato",
        "incrociata",
        "meticcio", "meticcia", "bastardino", "bastardina", "simil", "tipo", "derivato", "derivata", "unknown",
    ]
    private static let smallWords: Set<String> = [
        "toy", "teacup", "tiny", "miniature", "small", "sm", "piccolo", "piccola",
    ]
    private static let largeWords: Set<String> = ["large", "lg", "giant", "big", "grande", "gigante"]
    private static let mediumWords: Set<String> = ["medium", "med", "media", "medio"]
    private static let puppyWords: Set<String> = ["puppy", "pup", "cucciolo", "cucciola"]
    /// Words that never name a breed on their own, though they occur in names.
    private static let plainWords: Set<String> = [
        "dog", "cane", "cat", "gatto", "hair", "haired", "long", "short", "longhair", "shorthair", "medium", "small",
        "large", "toy", "miniature", "standard", "giant", "type", "purebred", "pure", "breed", "american", "english",
        "old", "new", "black", "white", "red", "blue", "brown", "yellow", "chocolate", "cream", "gold", "silver",
        "mountain", "water", "wire", "wirehaired", "smooth", "rough", "coated", "great", "king", "west", "highland",
        "north", "south", "royal", "irish", "welsh", "french", "italian", "scottish", "spanish", "italiano", "italiana",
        "inglese", "francese", "tedesco", "americano", "americana", "nero", "bianco", "rosso", "grigio", "taglia",
        "piccolo", "grande", "puppy", "and", "or", "with", "possibly", "possible", "maybe", "like", "of", "di", "da",
        "del", "della", "con", "domestic", "wolf", "baby", "house", "female", "male", "nose", "leopard", "saint", "st",
    ]

    init(_ breeds: Breeds) {
        keys = breeds.all.map(\.key)
        positions = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1, UInt16($0)) })
        shares = Self.shares(breeds)
        short = Dictionary(
            WordTable("breed-words").rows.map { row in
                (String(row[0]), row[1].split(separator: " ").map(String.init))
            }
        ) { first, _ in first }
        addNames(of: breeds)
        addTable()
        vocabulary.sort { $0.word.lexicographicallyPrecedes($1.word) }
    }

    private static func shares(_ breeds: Breeds) -> [Float] {
        let known = breeds.all.filter { $0.key != Breed.mixedKey && $0.key != "domestic_cat" }
        let sums = Dictionary(grouping: known, by: \.species).mapValues { $0.reduce(0) { $0 + $1.frequency } }
        return breeds.all.map { (Float($0.frequency) + 0.5) / Float(max(1, sums[$0.species] ?? 1)) }
    }

    private mutating func addNames(of breeds: Breeds) {
        var frequencies: [String: Int] = [:]
        var best: [String: Int] = [:]
        for (position, breed) in breeds.all.enumerated() {
            for name in [breed.key, breed.englishName, breed.italianName] + breed.synonyms {
                let parts = canonical(name.folded.split(separator: " ").map(String.init))
                let joined = parts.joined(separator: " ")
                if names[joined] == nil { names[joined] = [UInt16(position)] }
                for word in parts { frequencies[word, default: 0] += breed.frequency + 1 }
            }
            for word in Set(
                canonical("\(breed.englishName) \(breed.italianName)".folded.split(separator: " ").map(String.init))
            )
            where word.utf8.count >= 5 && !Self.plainWords.contains(word) && best[word, default: -1] < breed.frequency {
                best[word] = breed.frequency
                byWord[word] = UInt16(position)
            }
        }
        known = Set(frequencies.keys)
        vocabulary = frequencies.map { (Array($0.key.utf8), $0.value) }
    }

    private mutating func addTable() {
        for row in WordTable("breed-names").rows {
            let found = row[1].split(separator: " ").compactMap { positions[String($0)] }
            let joined = canonical(row[0].folded.split(separator: " ").map(String.init)).joined(separator: " ")
            names[joined] = found
            known.formUnion(joined.split(separator: " ").map(String.init))
        }
        // Crosses with names of their own count as their parents wherever the names come from.
        for row in WordTable("breed-names").rows {
            guard let cross = positions[String(row[0])], row[1].contains(" ") else { continue }
            let parents = row[1].split(separator: " ").compactMap { positions[String($0)] }
            for (name, found) in names where found == [cross] { names[name] = parents }
        }
    }

    private func canonical(_ words: [String]) -> [String] { words.flatMap { short[$0] ?? [$0] } }

    func read(_ text: String) -> BreedReading {
        var reading = BreedReading()
        let plain = words(of: text)
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
        vocabulary.lazy.filter { $0.word.count > letters.count && $0.word.starts(with: letters) }
            .max { $0.frequency < $1.frequency }?.word
    }

    /// The word of the most frequent breeds that differs in one letter, or in two letters that changed places.
    private func misspelt(_ letters: [UInt8]) -> [UInt8]? {
        guard letters.count >= 5 else { return nil }
        return vocabulary.lazy.filter { isOneEdit(letters, $0.word) }.max { $0.frequency < $1.frequency }?.word
    }
}

/// Returns whether one insertion, deletion, replacement or transposition of neighbours turns one word into the other.
func isOneEdit(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard abs(left.count - right.count) <= 1, left != right else { return false }
    let start = zip(left, right).prefix { $0 == $1 }.count
    let end = zip(left.reversed(), right.reversed()).prefix { $0 == $1 }.count
    if start + end >= max(left.count, right.count) - 1 { return true }
    return left.count == right.count && start + end >= left.count - 2
        && left[start] == right[start + 1] && left[start + 1] == right[start]
}
