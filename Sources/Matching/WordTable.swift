import Domain
import Foundation

/// A bundled table of tab-separated columns, whose lines that begin with `#` are comments.
struct WordTable {
    let rows: [[Substring]]

    init(_ name: String) {
        self.init(Self.bytes(name))
    }

    static func bytes(_ name: String) -> [UInt8] { Bundle.module.bytes(of: "Tables/\(name).tsv") }

    init(_ bytes: [UInt8]) {
        rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
    }
}

/// The first words of a text, folded. What is longer than a listing's fields may be is not read.
func words(of text: String, maxLength: Int = 200, maxCount: Int = 24) -> [String] {
    text.beginning(maxLength).folded.split(separator: " ", maxSplits: maxCount).prefix(maxCount).map(String.init)
}

/// The FNV-1a hash: the same on all machines and in all runs, because hashes are stored.
func stableHash(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
}

extension String {
    /// The first Unicode scalars: a single character may have any number of marks.
    func beginning(_ count: Int) -> String { String(String.UnicodeScalarView(unicodeScalars.prefix(count))) }
}
