import Foundation

/// Converts a stream of bytes to UTF-8 if it begins with a byte order mark of UTF-16, as Excel's "Unicode text" does.
final class UTF16Input {
    private let read: (Int) throws -> Data?
    private var rest: [UInt8] = []
    /// Nil until the first bytes are read.
    private var order: Order?

    private enum Order { case none, little, big }

    init(_ read: @escaping (Int) throws -> Data?) {
        self.read = read
    }

    /// Returns about `count` bytes of UTF-8; nil at the end.
    func next(_ count: Int) throws -> Data? {
        while true {
            let more = try read(count) ?? Data()
            rest += more
            if order == nil {
                // The mark decides only when both of its bytes are there.
                if rest.count < 2, !more.isEmpty { continue }
                order =
                    rest.starts(with: [0xFF, 0xFE]) ? .little : rest.starts(with: [0xFE, 0xFF]) ? .big : Order.none
            }
            let text = take(isLast: more.isEmpty)
            // A part of a character is completed by the next bytes.
            if !text.isEmpty || more.isEmpty { return text.isEmpty ? nil : text }
        }
    }

    private func take(isLast: Bool) -> Data {
        guard order != Order.none else {
            defer { rest = [] }
            return Data(rest)
        }
        var units = stride(from: 0, to: rest.count - 1, by: 2).map { index in
            let (first, second) = (UInt16(rest[index]), UInt16(rest[index + 1]))
            return order == .little ? first | second << 8 : first << 8 | second
        }
        if !isLast, let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
        rest.removeFirst(2 * units.count)
        return Data(String(decoding: units, as: UTF16.self).utf8)
    }
}
