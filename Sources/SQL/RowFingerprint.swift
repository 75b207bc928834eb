/// The number of rows of a query and the sum of their hashes, which do not depend on the order of the rows.
///
/// Two queries with different rows have the same fingerprint with a probability of 2^-64. Comparing fingerprints reads
/// the rows of each query once; `EXCEPT` sorts them twice.
package struct RowFingerprint: Equatable {
    private var count = 0
    private var sum: UInt64 = 0

    package init(_ db: SQLConnection, _ sql: String) throws {
        let scan = try PreparedStatement(db, sql, isKept: false)
        while try scan.next() {
            count += 1
            sum &+= scan.row.hash(0..<scan.row.columnCount)
        }
    }
}

/// Sums over the rows of a query: for each of the last columns, the sum of its values times the hash of the first columns
/// of the row.
///
/// A query that counts and sums the rows of groups has the same sums as a query of the single rows, so that the groups
/// can be compared without grouping.
package struct GroupFingerprint: Equatable {
    private var sums: [UInt64]

    /// - Parameter keys: the number of columns that identify a group. The others are integers.
    package init(_ db: SQLConnection, _ sql: String, keys: CInt) throws {
        let scan = try PreparedStatement(db, sql, isKept: false)
        sums = Array(repeating: 0, count: Int(scan.row.columnCount - keys))
        while try scan.next() {
            let hash = scan.row.hash(0..<keys)
            for index in sums.indices {
                sums[index] &+= hash &* UInt64(bitPattern: scan.row.integer(keys + CInt(index)))
            }
        }
    }
}

extension StatementRow {
    /// Returns a hash that is the same only within this process. Values that SQLite considers equal have the same hash.
    fileprivate func hash(_ columns: Range<CInt>) -> UInt64 {
        var hasher = Hasher()
        for column in columns { hash(column, into: &hasher) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }

    private func hash(_ column: CInt, into hasher: inout Hasher) {
        switch type(column) {
        case .integer: hash(integer(column), into: &hasher)
        case .real:
            let number = real(column)
            if let integer = Int64(exactly: number) {
                hash(integer, into: &hasher)
            } else {
                hasher.combine(2 as UInt8)
                hasher.combine(number.bitPattern)
            }
        case .text:
            hasher.combine(3 as UInt8)
            let text = UnsafeRawBufferPointer(text(column) ?? UnsafeBufferPointer(start: nil, count: 0))
            hasher.combine(text.count)
            hasher.combine(bytes: text)
        case .blob:
            hasher.combine(4 as UInt8)
            let blob = blob(column)
            hasher.combine(blob.count)
            hasher.combine(bytes: blob)
        case .null: hasher.combine(0 as UInt8)
        }
    }

    private func hash(_ number: Int64, into hasher: inout Hasher) {
        hasher.combine(1 as UInt8)
        hasher.combine(number)
    }
}
