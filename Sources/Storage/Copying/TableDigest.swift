import Cryptography
import Foundation
package import SQL

/// The number of rows of a table, and the SHA-256 digest of all values in the order of the key. Both engines have the
/// same digest of the same rows.
package struct TableDigest: Equatable, Sendable {
    private static let page = 2000

    package let rows: Int
    /// In hexadecimal digits.
    package let digest: String

    /// - Parameter progress: receives the number of rows that were read.
    package init(_ db: SQLConnection, _ table: TableLayout, _ progress: (Int) -> Void = { _ in }) throws {
        var hash = Hash()
        var bytes: [UInt8] = []
        var (last, count): ([SQLValue]?, Int) = (nil, 0)
        repeat {
            bytes.removeAll(keepingCapacity: true)
            last = try db.readRows(of: table, after: last, limit: Self.page) { row in
                for column in 0..<row.columnCount { row.append(column, to: &bytes) }
                count += 1
            }
            hash.update(bytes)
            progress(count)
        } while last != nil
        rows = count
        digest = hash.finish().hexadecimal
    }
}

extension StatementRow {
    /// Appends the type, the length and the bytes of a value.
    fileprivate func append(_ column: CInt, to bytes: inout [UInt8]) {
        func append(_ type: UInt8, _ number: UInt64) {
            bytes.append(type)
            withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
        }
        switch type(column) {
        case .null: bytes.append(0)
        case .integer: append(1, UInt64(bitPattern: integer(column)))
        // SQLite stores -0.0 as 0.0.
        case .real: append(2, real(column) == 0 ? 0 : real(column).bitPattern)
        case .text:
            let text = text(column) ?? UnsafeBufferPointer(start: nil, count: 0)
            append(3, UInt64(text.count))
            bytes.append(contentsOf: text)
        case .blob:
            let blob = blob(column)
            append(4, UInt64(blob.count))
            bytes.append(contentsOf: blob)
        }
    }
}
