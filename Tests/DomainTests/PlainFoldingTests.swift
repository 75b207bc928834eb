import Foundation
import Testing

@testable import Domain

@Suite("Plain folding")
struct PlainFoldingTests {
    @Test("Latin letters fold as Foundation folds them, alone and beside others")
    func latin() throws {
        let scalars = try (0..<0x260).map { try #require(Unicode.Scalar($0)) }
        for scalar in scalars {
            for text in ["\(scalar)", "Az\(scalar)9 \(scalar)", "\(scalar)-é\(scalar)\(scalar)"] {
                #expect(text.folded == text.foldedByFoundation, "U+\(String(scalar.value, radix: 16)) in \(text)")
            }
        }
        for first in scalars {
            let pairs = scalars.map { "\(first)\($0)" }.joined(separator: " ")
            #expect(pairs.folded == pairs.foldedByFoundation, "U+\(String(first.value, radix: 16))")
        }
        #expect("".folded.isEmpty && " - ".folded.isEmpty)
        #expect("--S. GIOVANNI (sa)".folded == "s giovanni sa")
        #expect("perché l’ORECCHIO, \u{FB01}do e \u{65}\u{301}".folded == "perche l orecchio fido e e")
    }

    @Test("Real texts fold as Foundation folds them", arguments: RealTexts.files)
    func realTexts(file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
        for line in text.split(separator: "\n").prefix(20_000) { #expect(line.folded == line.foldedByFoundation) }
    }
}

/// Texts of people, where they are at hand.
enum RealTexts {
    static let files = [
        "names/messages.csv", "names/breed_words_it.csv", "names/search_words.json",
        "geo/animals/dog_names_frequency.csv",
    ]
    .map {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/data/\($0)")
            .standardizedFileURL
    }.filter { FileManager.default.fileExists(atPath: $0.path) }
}
