import Domain
import MapDatabase

/// The colours of the map, which let pins stand out, and the sizes of names.
package enum BasemapStyle: String, CaseIterable, Sendable {
    case light, dark

    var sea: Colour { pick(0xCFE3EC, 0x1A2A33) }
    var land: Colour { pick(0xF6F1EA, 0x2A2622) }
    var border: Colour { pick(0xCBBFB0, 0x57504A) }
    var name: Colour { pick(0x4A4038, 0xD6CBBE) }
    /// The colour of the names of hamlets and streets.
    var quietName: Colour { pick(0x7A6E62, 0xA79C90) }
    var waterName: Colour { pick(0x4F7F98, 0x7FA9BF) }
    var buildingEdge: Colour { pick(0xD9CDBF, 0x443D36) }

    /// Returns the colour of areas and of lines without an edge; nil for what is not drawn.
    func fill(_ kind: MapFeature.Kind) -> Colour? {
        switch kind {
        case .residential: pick(0xEFE7DD, 0x302B27)
        case .farmland: pick(0xF3EEDF, 0x2C2921)
        case .grass: pick(0xDFE9D0, 0x2A3226)
        case .wood: pick(0xD0E0C2, 0x253022)
        case .sand: pick(0xF2E7CA, 0x39342A)
        case .wetland: pick(0xD9E7DE, 0x25302C)
        case .water, .stream, .river: sea
        case .square: pick(0xF4EEE6, 0x38322D)
        case .building: pick(0xE6DCD0, 0x3A342E)
        case .path: pick(0xC6B49C, 0x5E5346)
        case .track: pick(0xCDBEA8, 0x584E43)
        case .rail: pick(0xB9B0A6, 0x5F5852)
        case .service, .street, .tertiary: pick(0xFFFFFF, 0x4A433C)
        case .secondary: pick(0xFFF8E6, 0x564C40)
        case .primary, .trunk: pick(0xFBEBC8, 0x6A5A41)
        case .motorway: pick(0xF6D8A6, 0x7C643F)
        default: nil
        }
    }

    /// The colour of the edges of a road.
    func edge(_ kind: MapFeature.Kind) -> Colour? {
        switch kind {
        case .square, .service, .street, .tertiary: pick(0xDDD2C4, 0x1F1C19)
        case .secondary: pick(0xDFD0B0, 0x1F1C19)
        case .primary, .trunk: pick(0xE2CB98, 0x1F1C19)
        case .motorway: pick(0xDDB878, 0x1F1C19)
        default: nil
        }
    }

    private func pick(_ light: Int, _ dark: Int) -> Colour { Colour(self == .light ? light : dark) }

    /// Red, green and blue in sRGB, from 0 to 1.
    struct Colour: Equatable {
        let red, green, blue: Double

        init(_ hex: Int) {
            (red, green, blue) = (Double(hex >> 16) / 255, Double(hex >> 8 & 255) / 255, Double(hex & 255) / 255)
        }
    }
}

/// The width of lines by zoom level.
enum LineWidth {
    /// The least zoom level at which roads have edges.
    static let firstEdges = 13

    /// In pixels, for the zoom levels 8, 10, 12, 14, 16 and 18.
    private static let widths: [MapFeature.Kind: [Double]] = [
        .motorway: [1.2, 1.8, 3, 5, 9, 16], .trunk: [0.9, 1.5, 2.6, 4.6, 8.5, 15],
        .primary: [0.7, 1.3, 2.4, 4.4, 8, 15], .secondary: [0.6, 1, 1.9, 3.8, 7.5, 14],
        .tertiary: [0.5, 0.8, 1.3, 3, 6.5, 12], .street: [0.5, 0.5, 0.7, 1.9, 5, 10],
        .service: [0.4, 0.4, 0.5, 0.9, 2.6, 6], .track: [0.4, 0.4, 0.5, 0.8, 1.4, 2],
        .path: [0.4, 0.4, 0.5, 0.7, 1.1, 1.6], .rail: [0.6, 0.7, 0.9, 1.2, 1.8, 2.6],
        .river: [0.9, 1.2, 1.8, 3, 5, 9], .stream: [0.4, 0.5, 0.7, 1, 1.8, 3],
    ]

    static func width(_ kind: MapFeature.Kind, zoom: Int) -> Double? {
        guard let widths = widths[kind] else { return nil }
        let position = min(Double(widths.count - 1), max(0, Double(zoom - 8) / 2))
        let index = min(Int(position), widths.count - 2)
        return widths[index] + (widths[index + 1] - widths[index]) * (position - Double(index))
    }
}

/// How a name is written.
struct NameStyle: Hashable {
    enum Tone { case plain, quiet, water }

    /// In pixels.
    var size: Double
    var isBold = false
    var tone = Tone.plain

    /// - Parameter population: 0 if it is not known.
    static func settlement(population: Int) -> NameStyle {
        switch population {
        case 500_000...: NameStyle(size: 15, isBold: true)
        case 100_000...: NameStyle(size: 14, isBold: true)
        case 20_000...: NameStyle(size: 13)
        case 3_000...: NameStyle(size: 12)
        default: NameStyle(size: 11, tone: .quiet)
        }
    }

    static func of(_ kind: MapFeature.Kind) -> NameStyle {
        switch kind {
        case .city: NameStyle(size: 14, isBold: true)
        case .town: NameStyle(size: 13)
        case .village: NameStyle(size: 12)
        case .quarter, .hamlet: NameStyle(size: 11.5)
        case .water, .river, .stream: NameStyle(size: 10.5, tone: .water)
        case .houseNumber: NameStyle(size: 9.5, tone: .quiet)
        case .motorway, .trunk, .primary, .secondary, .tertiary: NameStyle(size: 11, tone: .plain)
        default: NameStyle(size: 10.5, tone: .quiet)
        }
    }

    private static let wide: Set<Unicode.Scalar> = ["M", "W", "m", "w"]

    /// Returns the width in pixels that is assumed of a text. Its letters need less, as a rule.
    func width(of text: String) -> Double {
        let em = isBold ? 0.62 : 0.58
        return text.unicodeScalars.reduce(0) { width, scalar in
            width + (scalar.value >= 0x2E80 ? 1 : Self.wide.contains(scalar) ? 1.5 * em : em) * size
        }
    }
}
