import CPangoCairo
import Domain
import Fonts
import Foundation

/// The drawing of a dog for a listing of the demo: a sitting dog in its coat, before a meadow.
struct DrawnDog: Hashable {
    enum Ears: Int, CaseIterable { case folded, pointed, hanging, fluffy }

    enum Pattern { case plain, bib, patches, saddle, brindle, mask }

    struct Tone {
        let red: Double
        let green: Double
        let blue: Double

        init(_ hex: UInt32) {
            red = Double(hex >> 16 & 0xFF) / 255
            green = Double(hex >> 8 & 0xFF) / 255
            blue = Double(hex & 0xFF) / 255
        }

        private init(_ red: Double, _ green: Double, _ blue: Double) {
            (self.red, self.green, self.blue) = (red, green, blue)
        }

        func darker(_ share: Double = 0.78) -> Tone { Tone(red * share, green * share, blue * share) }
    }

    /// The coats with their frequency in percent, the colour of most of the coat and that of its markings. `DemoTexts` has their
    /// names. The frequencies are rounded ones among 45,743 dogs of Austin's shelter intakes, 2013 to 2018 (City of Austin
    /// Open Data).
    static let coats: [(weight: Double, base: Tone, marks: Tone, pattern: Pattern)] = [
        (14, Tone(0x2F2D33), Tone(0xF6F1E7), .bib),
        (11, Tone(0x2F2D33), Tone(0x2F2D33), .plain),
        (8, Tone(0x8A5A35), Tone(0xF6EFE2), .patches),
        (7, Tone(0xD3A063), Tone(0xFAF4E8), .bib),
        (6, Tone(0xF4EEE2), Tone(0xF4EEE2), .plain),
        (6, Tone(0x7D4F2C), Tone(0x7D4F2C), .plain), (6, Tone(0xD7A868), Tone(0xD7A868), .plain),
        (5, Tone(0x9A6438), Tone(0x2F2D33), .saddle),
        (5, Tone(0xC98F4E), Tone(0x2B2A2F), .saddle),
        (4, Tone(0xF6EFE2), Tone(0x3A3136), .patches),
        (3, Tone(0x9B744B), Tone(0x54402F), .brindle),
        (3, Tone(0xB8652F), Tone(0xF3E2CB), .bib), (2, Tone(0x8D9098), Tone(0xC9CCD2), .bib),
        (2, Tone(0xA9B0BA), Tone(0x4A4E58), .patches),
        (1, Tone(0xDDB887), Tone(0x3C332E), .mask),
    ]

    private static let skies: [(Tone, Tone)] = [
        (Tone(0xCFE8F5), Tone(0x9CC67F)), (Tone(0xFBE3C6), Tone(0xC7B46A)), (Tone(0xE3E0F4), Tone(0x8DB78D)),
        (Tone(0xD8F0E4), Tone(0x7FB08A)),
    ]
    private static let collars = [Tone(0xD6453D), Tone(0x2F77B8), Tone(0x3C9A5F), Tone(0xE0A52B), Tone(0x8A4FA3)]

    static let width = 960
    static let height = 720

    /// The index of the coat in `coats`.
    let coat: Int
    let ears: Ears

    private static let pointedBreeds: Set<String> = [
        "german_shepherd", "siberian_husky", "chihuahua", "pomeranian", "shiba_inu", "akita", "french_bulldog",
        "border_collie", "australian_cattle_dog", "miniature_pinscher", "dobermann", "cairn_terrier", "boston_terrier",
        "yorkshire_terrier", "shepherd", "bull_terrier", "welsh_corgi_cardigan",
    ]
    private static let hangingBreeds: Set<String> = [
        "labrador_retriever", "golden_retriever", "retriever", "beagle", "dachshund", "basset_hound", "rottweiler",
        "english_pointer", "plott_hound", "catahoula_leopard_dog", "great_pyrenees", "rhodesian_ridgeback",
    ]
    private static let fluffyBreeds: Set<String> = [
        "poodle", "shih_tzu", "maltese", "english_cocker_spaniel", "lhasa_apso", "bichon_frise", "maltipoo",
        "pekingese",
    ]

    init(coat: Int, ears: Ears) {
        self.coat = coat
        self.ears = ears
    }

    /// Returns nil for a listing without one of the coats, which `names` names in their order.
    init?(_ content: ListingContent, coats names: [String]) {
        guard let coat = content[.colour].flatMap(names.firstIndex) else { return nil }
        let breed = content.breedKey ?? ""
        let ears: Ears =
            if Self.pointedBreeds.contains(breed) {
                .pointed
            } else if Self.hangingBreeds.contains(breed) {
                .hanging
            } else if Self.fluffyBreeds.contains(breed) {
                .fluffy
            } else {
                .folded
            }
        self.init(coat: coat, ears: ears)
    }

    /// Chooses the background, the collar and the tongue.
    private var variant: Int { coat + ears.rawValue }

    /// Returns the picture as PNG.
    func png() -> Data {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(Self.width), Int32(Self.height))
        defer { cairo_surface_destroy(surface) }
        let pen = Pen(surface)
        background(pen)
        tail(pen)
        body(pen)
        head(pen)
        return pen.png(surface)
    }

    private var base: Tone { Self.coats[coat].base }
    private var marks: Tone { Self.coats[coat].marks }
    private var pattern: Pattern { Self.coats[coat].pattern }

    private func background(_ pen: Pen) {
        let (sky, meadow) = Self.skies[variant % Self.skies.count]
        pen.fill(sky) { $0.rectangle(0, 0, 960, 720) }
        pen.fill(Tone(0xFFF6DC)) { $0.ellipse(variant.isMultiple(of: 2) ? 800 : 160, 130, 62, 62) }
        pen.fill(meadow.darker(0.9)) { $0.ellipse(180, 700, 520, 190) }
        pen.fill(meadow) { $0.ellipse(680, 740, 700, 220) }
        for index in 0..<7 {
            let (x, y) = (Double(index * 149 + variant * 61 % 130), 610 + Double(index * 37 % 90))
            pen.fill(Tone(0xFFFFFF)) { $0.ellipse(x, y, 9, 9) }
            pen.fill(Tone(0xF0C040)) { $0.ellipse(x, y, 4, 4) }
        }
        pen.fill(meadow.darker(0.72)) { $0.ellipse(480, 672, 210, 26) }
    }

    private func tail(_ pen: Pen) {
        pen.stroke(pattern == .saddle ? marks : base.darker(0.9), 38) { pen in
            pen.move(600, 590)
            pen.curve(700, 590, 720, 500, 690 - Double(variant % 3) * 12, 430)
        }
    }

    private func body(_ pen: Pen) {
        pen.fill(base.darker(0.88)) { $0.ellipse(385, 600, 72, 74) }
        pen.fill(base.darker(0.88)) { $0.ellipse(575, 600, 72, 74) }
        pen.insideEllipse(480, 520, 138, 160) { pen in
            pen.fill(base) { $0.rectangle(300, 330, 360, 380) }
            markBody(pen)
        }
        for x in [428.0, 532] {
            pen.fill(base.darker(0.95)) { $0.rounded(x - 33, 520, 66, 148, 33) }
            let paw = pattern == .bib ? marks : base
            pen.fill(paw) { $0.ellipse(x, 655, 43, 25) }
            for toe in [-14.0, 12] {
                pen.stroke(base.darker(0.6), 3) { pen in
                    pen.move(x + toe, 650)
                    pen.line(x + toe, 668)
                }
            }
        }
    }

    private func markBody(_ pen: Pen) {
        switch pattern {
        case .plain, .mask: pen.fill(base.darker(0.94)) { $0.ellipse(480, 520, 66, 110) }
        case .bib: pen.fill(marks) { $0.ellipse(480, 500, 72, 120) }
        case .patches:
            pen.fill(marks) { $0.ellipse(390, 470, 70, 90) }
            pen.fill(marks) { $0.ellipse(590, 600, 70, 60) }
        case .saddle:
            pen.fill(marks) { $0.ellipse(360, 480, 78, 150) }
            pen.fill(marks) { $0.ellipse(600, 480, 78, 150) }
        case .brindle: stripes(pen, 345, 390, count: 9, step: 36)
        }
    }

    private func stripes(_ pen: Pen, _ left: Double, _ top: Double, count: Int, step: Double) {
        for index in 0..<count {
            let x = left + Double(index) * step
            pen.stroke(marks, 8) { pen in
                pen.move(x, top)
                pen.curve(x + 24, top + 60, x - 20, top + 110, x + 14, top + 190)
            }
        }
    }

    private func head(_ pen: Pen) {
        if ears == .pointed { bothEars(pen) }
        collar(pen)
        pen.insideEllipse(480, 272, 132, 124) { pen in
            pen.fill(base) { $0.rectangle(330, 130, 300, 290) }
            markHead(pen)
        }
        if ears != .pointed { bothEars(pen) }
        muzzle(pen)
        for x in [432.0, 528] { eye(pen, x) }
    }

    private func markHead(_ pen: Pen) {
        switch pattern {
        case .plain, .mask: break
        case .bib: pen.fill(marks) { $0.ellipse(480, 230, 24, 110) }
        case .patches: pen.fill(marks) { $0.ellipse(548, 236, 66, 78) }
        case .saddle: pen.fill(marks) { $0.ellipse(480, 158, 130, 66) }
        case .brindle: stripes(pen, 380, 130, count: 6, step: 40)
        }
    }

    private func bothEars(_ pen: Pen) {
        let outer = pattern == .saddle || pattern == .patches ? marks.darkest(base) : base.darker(0.8)
        for side in [-1.0, 1] {
            func x(_ value: Double) -> Double { 480 + side * value }
            switch ears {
            case .pointed:
                pen.fill(outer) { $0.triangle((x(38), 176), (x(138), 62), (x(134), 250)) }
                pen.fill(Tone(0xE2A79B)) { $0.triangle((x(68), 176), (x(122), 106), (x(120), 214)) }
            case .fluffy:
                for (across, down, size) in [(126.0, 200.0, 40.0), (152, 252, 46), (150, 312, 48), (138, 360, 38)] {
                    pen.fill(outer) { $0.ellipse(x(across), down, size, size) }
                }
                for across in [0.0, 44] { pen.fill(outer) { $0.ellipse(x(across), 160, 46, 36) } }
            case .folded:
                pen.fill(outer) { pen in
                    pen.move(x(44), 168)
                    pen.curve(x(70), 108, x(130), 118, x(150), 170)
                    pen.curve(x(176), 214, x(152), 246, x(128), 244)
                    pen.curve(x(112), 214, x(78), 200, x(44), 168)
                }
            case .hanging:
                pen.fill(outer) { pen in
                    pen.move(x(62), 176)
                    pen.curve(x(124), 128, x(170), 190, x(178), 282)
                    pen.curve(x(184), 372, x(128), 392, x(112), 330)
                    pen.curve(x(104), 274, x(102), 220, x(62), 176)
                }
            }
        }
    }

    private func collar(_ pen: Pen) {
        let tone = Self.collars[variant % Self.collars.count]
        pen.stroke(tone, 26) { pen in
            pen.move(392, 376)
            pen.curve(430, 424, 530, 424, 568, 376)
        }
        pen.fill(Tone(0xF2C94C)) { $0.ellipse(480, 430, 19, 19) }
        pen.fill(Tone(0xC99A22)) { $0.ellipse(480, 430, 8, 8) }
    }

    private func muzzle(_ pen: Pen) {
        let tone =
            pattern == .mask ? marks : pattern == .bib || pattern == .patches ? marks.lightest(base) : base.lighter
        if variant % 3 != 1 { pen.fill(Tone(0xE57B86)) { $0.rounded(458, 352, 44, 62, 21) } }
        pen.fill(tone) { $0.ellipse(452, 330, 50, 42) }
        pen.fill(tone) { $0.ellipse(508, 330, 50, 42) }
        pen.fill(Tone(0x1F1B1E)) { $0.rounded(446, 280, 68, 42, 20) }
        pen.fill(Tone(0x6F686C)) { $0.ellipse(464, 291, 9, 5) }
        pen.stroke(Tone(0x1F1B1E), 5) { pen in
            pen.move(480, 318)
            pen.line(480, 346)
            pen.move(440, 348)
            pen.curve(452, 366, 472, 364, 480, 346)
            pen.curve(488, 364, 508, 366, 520, 348)
        }
    }

    private func eye(_ pen: Pen, _ x: Double) {
        pen.fill(Tone(0xFFFFFF)) { $0.ellipse(x, 240, 25, 26) }
        pen.fill(Tone(0x4A2E1C)) { $0.ellipse(x, 243, 19, 20) }
        pen.fill(Tone(0x120D0B)) { $0.ellipse(x, 243, 11, 12) }
        pen.fill(Tone(0xFFFFFF)) { $0.ellipse(x - 7, 235, 6, 6) }
    }
}

extension DrawnDog.Tone {
    fileprivate var lighter: Self { Self(mixing: self, Self(0xFFF4E2), 0.45) }

    private var light: Double { red + green + blue }

    fileprivate func lightest(_ other: Self) -> Self { light >= other.light ? self : other }

    fileprivate func darkest(_ other: Self) -> Self { light < other.light ? self : other }

    private init(mixing first: Self, _ second: Self, _ share: Double) {
        func mix(_ one: Double, _ other: Double) -> UInt32 { UInt32(255 * (one + (other - one) * share)) }
        self.init(mix(first.red, second.red) << 16 | mix(first.green, second.green) << 8 | mix(first.blue, second.blue))
    }
}

/// Shapes on a Cairo image.
private final class Pen {
    private let cairo: OpaquePointer?

    init(_ surface: OpaquePointer?) {
        cairo = cairo_create(surface)
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
    }

    deinit { cairo_destroy(cairo) }

    func fill(_ tone: DrawnDog.Tone, _ path: (Pen) -> Void) {
        path(self)
        cairo_set_source_rgb(cairo, tone.red, tone.green, tone.blue)
        cairo_fill(cairo)
    }

    func stroke(_ tone: DrawnDog.Tone, _ width: Double, _ path: (Pen) -> Void) {
        path(self)
        cairo_set_source_rgb(cairo, tone.red, tone.green, tone.blue)
        cairo_set_line_width(cairo, width)
        cairo_stroke(cairo)
    }

    /// Draws only the part that is inside.
    func insideEllipse(_ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double, _ body: (Pen) -> Void) {
        cairo_save(cairo)
        ellipse(x, y, radiusX, radiusY)
        cairo_clip(cairo)
        body(self)
        cairo_restore(cairo)
    }

    func move(_ x: Double, _ y: Double) { cairo_move_to(cairo, x, y) }

    func line(_ x: Double, _ y: Double) { cairo_line_to(cairo, x, y) }

    func curve(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ x: Double, _ y: Double) {
        cairo_curve_to(cairo, x1, y1, x2, y2, x, y)
    }

    func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
        cairo_rectangle(cairo, x, y, width, height)
    }

    func ellipse(_ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double) {
        cairo_save(cairo)
        cairo_translate(cairo, x, y)
        cairo_scale(cairo, radiusX, radiusY)
        cairo_new_sub_path(cairo)
        cairo_arc(cairo, 0, 0, 1, 0, 2 * .pi)
        cairo_restore(cairo)
    }

    func rounded(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ radius: Double) {
        cairo_new_sub_path(cairo)
        cairo_arc(cairo, x + width - radius, y + radius, radius, -.pi / 2, 0)
        cairo_arc(cairo, x + width - radius, y + height - radius, radius, 0, .pi / 2)
        cairo_arc(cairo, x + radius, y + height - radius, radius, .pi / 2, .pi)
        cairo_arc(cairo, x + radius, y + radius, radius, .pi, 1.5 * .pi)
        cairo_close_path(cairo)
    }

    func triangle(_ first: (Double, Double), _ second: (Double, Double), _ third: (Double, Double)) {
        cairo_move_to(cairo, first.0, first.1)
        cairo_line_to(cairo, second.0, second.1)
        cairo_line_to(cairo, third.0, third.1)
        cairo_close_path(cairo)
    }

    func png(_ surface: OpaquePointer?) -> Data {
        let sink = CairoSink()
        _ = sink.writePNG(of: surface)
        return sink.data
    }
}
