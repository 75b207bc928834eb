import Foundation

extension StringProtocol {
    /// The text folded for comparisons: case, accents and width are ignored, and everything but letters and digits
    /// becomes a single space.
    ///
    /// For example, `"Forlì-Cesena"` and `"forli cesena"` become equal; so do `"Reggio nell'Emilia"` and `"reggio nell
    /// emilia"`.
    public var folded: String {
        if utf8.allSatisfy({ $0 < 128 }) { return foldedPlain }
        let plain = folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        var result = ""
        result.reserveCapacity(plain.utf8.count)
        var gap = false
        for scalar in plain.unicodeScalars {
            if CharacterSet.alphanumerics.contains(scalar) {
                if gap, !result.isEmpty { result.append(" ") }
                gap = false
                result.unicodeScalars.append(scalar)
            } else {
                gap = true
            }
        }
        return result
    }

    /// The same for ASCII text, which most names are, in a tenth of the time.
    private var foldedPlain: String {
        var result: [UInt8] = []
        result.reserveCapacity(utf8.count)
        var gap = false
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                if gap, !result.isEmpty { result.append(UInt8(ascii: " ")) }
                gap = false
                // This bit is set in lower-case letters and in digits.
                result.append(byte | 0x20)
            default: gap = true
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
