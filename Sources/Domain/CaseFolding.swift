import Foundation

extension String {
    /// The text after Unicode's full case folding, so that texts that differ only in case become equal. Accents and
    /// everything else remain.
    ///
    /// Source: the Unicode Standard, section 5.18. For each character, the folding equals mapping to lower, upper and
    /// lower case again, except for the dotless i, whose upper case is the same as that of the dotted i.
    package var caseFolded: String {
        if utf8.allSatisfy({ $0 < 128 }) { return lowercased() }
        var folded = ""
        folded.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            if scalar.isASCII || scalar == "\u{131}" {
                folded += scalar.properties.lowercaseMapping
            } else {
                folded += scalar.properties.lowercaseMapping.uppercased().lowercased()
            }
        }
        return folded
    }

    /// The text without combining marks: decomposed canonically, stripped of non-spacing marks, and composed again. The
    /// Japanese voicing marks remain, as CQL2 recommends, because they are not accents.
    package var withoutAccents: String {
        if utf8.allSatisfy({ $0 < 128 }) { return self }
        var plain = UnicodeScalarView()
        for scalar in decomposedStringWithCanonicalMapping.unicodeScalars {
            let isMark = scalar.properties.generalCategory == .nonspacingMark
            if !isMark || scalar == "\u{3099}" || scalar == "\u{309A}" { plain.append(scalar) }
        }
        return String(plain).precomposedStringWithCanonicalMapping
    }
}
