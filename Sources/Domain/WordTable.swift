package import Foundation

/// A bundled table of tab-separated columns, whose lines that begin with `#` are comments.
package struct WordTable: Sendable {
    package let rows: [[Substring]]
    package let bytes: [UInt8]

    fileprivate init(_ bytes: [UInt8]) {
        self.bytes = bytes
        rows = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0.split(separator: "\t", omittingEmptySubsequences: false)
        }
    }
}

extension Bundle {
    /// Returns a table in the target's folder `Tables`.
    package func table(_ name: String) -> WordTable { WordTable(bytes(of: "Tables/\(name).tsv")) }

    /// Returns a table by the path of its file; nil if there is no such file.
    func tableIfThere(_ path: String) -> WordTable? { bytesIfThere(of: path).map(WordTable.init) }
}
