/// SQL whose parameters `?` and `?1` are written as PostgreSQL's `$1`.
struct Placeholders {
    let sql: String
    /// The number of the last parameter.
    let count: Int

    /// Numbers parameters as SQLite does: `?` has the number after the largest one before it.
    ///
    /// - Parameter sql: contains no dollar quotes and no operators with a question mark.
    init(_ sql: String) {
        guard sql.utf8.contains(UInt8(ascii: "?")) else {
            self.sql = sql
            count = 0
            return
        }
        var (written, last) = ([UInt8](), 0)
        let bytes = Array(sql.utf8)
        written.reserveCapacity(bytes.count + 16)
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "?") else {
                let end = Self.end(ofTokenAt: index, bytes)
                written += bytes[index..<end]
                index = end
                continue
            }
            index += 1
            var number = 0
            while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) {
                number = number * 10 + Int(bytes[index] - UInt8(ascii: "0"))
                index += 1
            }
            if number == 0 { number = last + 1 }
            last = max(last, number)
            written += Array("$\(number)".utf8)
        }
        self.sql = String(decoding: written, as: UTF8.self)
        count = last
    }

    /// Returns the end of the quoted text or comment that begins here; of one byte otherwise.
    private static func end(ofTokenAt start: Int, _ bytes: [UInt8]) -> Int {
        switch bytes[start] {
        case UInt8(ascii: "'"), UInt8(ascii: "\""):
            // A doubled quote ends one text and begins another one, which makes no difference here.
            let rest = bytes[(start + 1)...]
            return rest.firstIndex(of: bytes[start]).map { $0 + 1 } ?? bytes.count
        case UInt8(ascii: "-") where bytes[start...].starts(with: "--".utf8):
            return bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
        default: return start + 1
        }
    }
}
