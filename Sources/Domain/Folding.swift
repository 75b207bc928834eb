import Foundation

extension StringProtocol {
    /// For comparing what people type: case, accents and width folded, everything but letters and digits made one space.
    ///
    /// `"Forlì-Cesena"` and `"forli cesena"` fold alike; so do `"Reggio nell'Emilia"` and `"reggio nell emilia"`.
    public var folded: String {
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
}
