import Foundation

/// The base64url of RFC 4648, section 5.
package enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// Returns the text without padding. Foundation has no base64url, and replacing the letters of its base64 is slow for a
    /// token on each page.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { letters in
            var (end, bits, width) = (0, 0, 0)
            func put(_ index: Int) {
                letters[end] = alphabet[index]
                end += 1
            }
            for byte in bytes {
                // At most six bits are left of the bytes before.
                bits = (bits & 0x3F) << 8 | Int(byte)
                width += 8
                while width >= 6 {
                    width -= 6
                    put(bits >> width & 0x3F)
                }
            }
            if width > 0 { put(bits << (6 - width) & 0x3F) }
            return end
        }
    }

    /// Whether a text has only letters of base64url, so many of them, and no padding.
    package static func isText(_ text: String, count: ClosedRange<Int>) -> Bool {
        count.contains(text.utf8.count) && text.utf8.allSatisfy(alphabet.contains)
    }

    /// Reads text with or without padding. Returns nil for the letters `+` and `/` of plain base64.
    package static func bytes(_ text: String) -> [UInt8]? {
        var letters = Array(text.utf8)
        for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        for (index, letter) in letters.enumerated() {
            switch letter {
            case UInt8(ascii: "+"), UInt8(ascii: "/"): return nil
            case UInt8(ascii: "-"): letters[index] = UInt8(ascii: "+")
            case UInt8(ascii: "_"): letters[index] = UInt8(ascii: "/")
            default: break
            }
        }
        letters += Array(repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return Data(base64Encoded: Data(letters)).map(Array.init)
    }
}
