import Domain
import Foundation

/// What a text tells of the colour of the coat.
struct ColourReading: Equatable, Sendable {
    /// One bit for each row of `colours.tsv`.
    var colours: UInt16 = 0
    /// The colours that others may call one of these.
    var close: UInt16 = 0
    /// The number of the row of the first colour, counted from 1; 0 if no colour is said.
    var first: UInt8 = 0
}

/// Reads the colours of coats in English and Italian.
struct ColourReader: Sendable {
    let names: [String]
    private let words: [String: UInt8]
    /// The words that may be misspelt.
    private let long: [(letters: [UInt8], colour: UInt8)]
    /// For each colour, those that others may call it.
    private let close: [UInt16]
    private let tri: UInt16
    private let triParts: UInt16

    init() {
        var names: [String] = []
        var words: [String: UInt8] = [:]
        let rows = Bundle.module.table("colours").rows
        for row in rows {
            for word in row[1].split(separator: " ") { words[String(word)] = UInt8(names.count) }
            names.append(String(row[0]))
        }
        func bit(_ name: String) -> UInt16 { names.firstIndex(of: name).map { 1 << UInt16($0) } ?? 0 }
        tri = bit("tri")
        triParts = bit("black") | bit("white") | bit("tan")
        close = rows.map { row in row[2].split(separator: " ").reduce(0) { $0 | bit(String($1)) } }
        long = words.filter { $0.key.utf8.count >= 4 }.map { (Array($0.key.utf8), $0.value) }
        (self.names, self.words) = (names, words)
    }

    func read(_ text: String) -> ColourReading {
        var reading = ColourReading()
        for word in text.foldedWords() {
            guard let colour = colour(word) else { continue }
            reading.colours |= 1 << UInt16(colour)
            if reading.first == 0 { reading.first = colour + 1 }
        }
        if reading.colours & tri != 0 { reading.colours |= triParts }
        for (colour, mask) in close.enumerated() where reading.colours & 1 << UInt16(colour) != 0 {
            reading.close |= mask
        }
        return reading
    }

    private func colour(_ word: String) -> UInt8? {
        if let colour = words[word] { return colour }
        guard word.utf8.count >= 5 else { return nil }
        // "Greyish" and "tannish" are grey and tan.
        for length in [3, 4] where word.hasSuffix("ish") {
            if let colour = words[String(word.dropLast(length))] { return colour }
        }
        let bytes = Array(word.utf8)
        return long.lazy.filter { isOneEdit(bytes, $0.letters) }.map(\.colour).min()
    }
}
