import Domain

/// The colours of the map, which let pins stand out, and the sizes of names.
package enum BasemapStyle: String, CaseIterable, Sendable {
    case light, dark

    var sea: Colour { self == .light ? Colour(0xCFE3EC) : Colour(0x1A2A33) }
    var land: Colour { self == .light ? Colour(0xF6F1EA) : Colour(0x2A2622) }
    var border: Colour { self == .light ? Colour(0xCBBFB0) : Colour(0x57504A) }
    var name: Colour { self == .light ? Colour(0x4A4038) : Colour(0xD6CBBE) }
    /// The colour of the names of hamlets.
    var quietName: Colour { self == .light ? Colour(0x7A6E62) : Colour(0xA79C90) }

    /// Red, green and blue in sRGB, from 0 to 1.
    struct Colour {
        let red, green, blue: Double

        init(_ hex: Int) {
            (red, green, blue) = (Double(hex >> 16) / 255, Double(hex >> 8 & 255) / 255, Double(hex & 255) / 255)
        }
    }
}

/// How the name of a place is written.
struct NameStyle: Equatable {
    /// In pixels.
    var size: Double
    var isBold = false
    var isQuiet = false

    /// - Parameter population: 0 if it is not known.
    static func settlement(population: Int) -> NameStyle {
        switch population {
        case 500_000...: NameStyle(size: 15, isBold: true)
        case 100_000...: NameStyle(size: 14, isBold: true)
        case 20_000...: NameStyle(size: 13)
        case 3_000...: NameStyle(size: 12)
        default: NameStyle(size: 11, isQuiet: true)
        }
    }

    /// Returns the width in pixels that is assumed of a text. Its letters need less, as a rule.
    func width(of text: String) -> Double {
        let em = isBold ? 0.62 : 0.58
        return text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x2E80 ? em : 1) * size }
    }
}
