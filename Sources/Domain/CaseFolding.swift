import Foundation

extension String {
    /// Unicode's full case folding: texts that differ by case alone become equal. Accents and all else stay.
    ///
    /// Source: the Unicode Standard, 5.18. Its table of foldings is what lower, upper and lower case again make of each
    /// character, but for the dotless i, whose upper case is that of the dotted one.
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

    /// Without the marks that Unicode takes apart from their letters (canonical decomposition), put together again. The Japanese
    /// voicing marks stay, as CQL2 recommends: they are no accents.
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
