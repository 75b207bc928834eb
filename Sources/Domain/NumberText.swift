import Foundation

extension StringProtocol {
    /// The text of a number as people paste it, with the usual forms of its characters: full-width digits become ASCII
    /// digits (Unicode's compatibility composition, NFKC), and characters that are not visible, such as zero-width spaces
    /// and marks of the writing direction, are removed.
    package var numberText: String {
        if utf8.allSatisfy({ $0 < 128 }) { return String(self) }
        var text = ""
        for scalar in precomposedStringWithCompatibilityMapping.unicodeScalars
        where scalar.properties.generalCategory != .format {
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
