import RandomSupport

/// Derives inputs from real samples and grammar tokens by removing, splicing and changing bytes. The same seed gives
/// the same inputs.
struct Mutator {
    private let seeds: [[UInt8]]
    private let words: [[UInt8]]
    private let longest: Int
    private var random: SeededGenerator

    /// Byte sequences that often break parsers.
    private static let traps = [
        "\0", "\r\n", "\n", "\"", "'", "\\", "[", "{", "(", "]", "}", ")", ",", ";", "=", "&", "%", "%00", "%FF", "+",
        "-1", "0", "9999999999999999999", "-9223372036854775808", "1e999", "-1e-999", "NaN", "null", "\u{FEFF}",
        "\u{202E}",
        "\u{0301}", "🐕", "\t",
    ].map { Array($0.utf8) }

    init(_ seeds: [[UInt8]], words: [String], longest: Int = 1 << 20, seed: UInt64) {
        self.seeds = seeds
        self.words = words.map { Array($0.utf8) } + Self.traps
        self.longest = longest
        random = SeededGenerator(seed: seed)
    }

    mutating func next() -> [UInt8] {
        var bytes = seeds.randomElement(using: &random) ?? []
        for _ in 0..<Int.random(in: 0...6, using: &random) { mutate(&bytes) }
        return Array(bytes.prefix(longest))
    }

    private mutating func mutate(_ bytes: inout [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, place + length())
        switch Int.random(in: 0..<9, using: &random) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where place < bytes.count: bytes[place] = .random(in: .min ... .max, using: &random)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
        case 4:
            let piece = Array(bytes[place..<end])
            for _ in 0..<Int.random(in: 1...100, using: &random) where bytes.count < longest {
                bytes.insert(contentsOf: piece, at: place)
            }
        case 5:
            guard let other = seeds.randomElement(using: &random) else { return }
            let cut = Int.random(in: 0...other.count, using: &random)
            bytes = Array(bytes[..<place] + other[cut...])
        case 6:
            // Extreme values for lengths and offsets.
            let edge: [UInt8] =
                [[0xFF, 0xFF, 0xFF, 0xFF], [0, 0, 0, 0], [0x7F, 0xFF, 0xFF, 0xFF], [0xFF, 0xFF, 0xFF, 0x7F]]
                .randomElement(using: &random) ?? []
            bytes.replaceSubrange(place..<min(bytes.count, place + edge.count), with: edge)
        default: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
        }
    }

    /// A random length; short lengths are more likely.
    private mutating func length() -> Int { 1 << Int.random(in: 0...10, using: &random) }
}
