import Domain

/// What a text tells of the colour of the coat.
struct ColourReading: Equatable, Sendable {
    /// One bit for each row of `colours.tsv`.
    var colours: UInt16 = 0
    /// The colours of the coat itself, without those said only of chest, paws and other small parts.
    var main: UInt16 = 0
    /// The number of the row of the first colour, counted from 1; 0 if no colour is said.
    var first: UInt8 = 0
}

/// Reads the colours of coats in English and Italian.
struct ColourReader: Sendable {
    let names: [String]
    private let words: [String: UInt8]
    private let tri: UInt16
    private let triParts: UInt16

    private static let withWords: Set<String> = ["with", "w", "con", "some", "tips", "on"]
    private static let parts: Set<String> = [
        "chest", "paw", "paws", "feet", "foot", "toes", "toe", "tip", "tips", "tail", "face", "muzzle", "chin", "blaze",
        "marking", "markings", "marks", "spot", "spots", "patch", "patches", "belly", "socks", "boots", "mask", "nose",
        "neck", "legs", "ears", "eyes", "collar", "petto", "zampe", "zampa", "muso", "coda", "punta", "macchia",
        "macchie", "pancia", "mento", "calze", "focature", "focato", "stella",
    ]

    init() {
        var names: [String] = []
        var words: [String: UInt8] = [:]
        for row in WordTable(PackageResources.colours_tsv).rows {
            for word in row[1].split(separator: " ") { words[String(word)] = UInt8(names.count) }
            names.append(String(row[0]))
        }
        func bit(_ name: String) -> UInt16 { names.firstIndex(of: name).map { 1 << UInt16($0) } ?? 0 }
        tri = bit("tri")
        triParts = bit("black") | bit("white") | bit("tan")
        (self.names, self.words) = (names, words)
    }

    func read(_ text: String) -> ColourReading {
        var reading = ColourReading()
        let plain = Matching.words(of: text)
        var isMarking = false
        for (index, word) in plain.enumerated() {
            if Self.withWords.contains(word) { isMarking = true }
            guard let colour = colour(word) else { continue }
            let bit: UInt16 = 1 << UInt16(colour)
            let next = index + 1 < plain.count ? plain[index + 1] : ""
            let ofPart = isMarking || Self.parts.contains(next) || next == "on"
            reading.colours |= bit
            if !ofPart || reading.main == 0 { reading.main |= bit }
            if reading.first == 0 { reading.first = colour + 1 }
        }
        if reading.colours & tri != 0 {
            reading.colours |= triParts
            reading.main |= triParts
        }
        return reading
    }

    private func colour(_ word: String) -> UInt8? {
        if let colour = words[word] { return colour }
        guard word.utf8.count >= 5 else { return nil }
        let bytes = Array(word.utf8)
        return words.filter { $0.key.utf8.count >= 4 && isOneEdit(bytes, Array($0.key.utf8)) }.map(\.value).min()
    }
}
