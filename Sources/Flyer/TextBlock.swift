import CPangoCairo
import Domain
import Fonts

struct TextStyle {
    enum Weight: UInt32 {
        case regular = 400
        case bold = 700
        case black = 900
    }

    /// `start` is the side at which lines of the page begin: left or right, depending on the script.
    enum Alignment {
        case start
        case centre
        case end
    }

    var weight = Weight.regular
    /// In points; the largest size that fits is used.
    var sizes: ClosedRange<Double>
    var colour = Colour.black
    var alignment = Alignment.start
}

/// A text of one style, broken into lines.
final class TextBlock {
    let style: TextStyle
    let layout: OpaquePointer
    private let text: String
    private let font: OpaquePointer

    /// Creates the text in the largest size of its style, without line breaks other than its own.
    init(_ text: String, _ style: TextStyle, on canvas: Canvas) {
        self.style = style
        self.text = text
        layout = pango_layout_new(canvas.pango)
        font = pango_font_description_from_string(Fonts.families)
        pango_font_description_set_weight(font, PangoWeight(rawValue: style.weight.rawValue))
        pango_layout_set_text(layout, text, -1)
        pango_layout_set_alignment(layout, alignment(on: canvas))
        setAttributes()
        setSize(style.sizes.upperBound)
    }

    deinit {
        pango_font_description_free(font)
        g_object_unref(UnsafeMutableRawPointer(layout))
    }

    /// In right-to-left text, Pango's "left" alignment means the right side.
    private func alignment(on canvas: Canvas) -> PangoAlignment {
        if style.alignment == .centre { return PANGO_ALIGN_CENTER }
        let isRightToLeft = pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
        let isLeft = (isRightToLeft == canvas.isRightToLeft) == (style.alignment == .start)
        return isLeft ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT
    }

    /// Disables automatic hyphens, because an inserted hyphen would change a web address.
    private func setAttributes() {
        let attributes = pango_attr_list_new()
        pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
        pango_layout_set_attributes(layout, attributes)
        pango_attr_list_unref(attributes)
    }

    /// In points.
    var width: Double { Double(logicalExtents.width) / scale }
    var height: Double { Double(logicalExtents.height) / scale }

    /// The distance from the top to the middle of the visible part, in points.
    var inkMiddle: Double {
        var extents = PangoRectangle()
        pango_layout_get_extents(layout, &extents, nil)
        return (Double(extents.y) + Double(extents.height) / 2) / scale
    }

    private var logicalExtents: PangoRectangle {
        var extents = PangoRectangle()
        pango_layout_get_extents(layout, nil, &extents)
        return extents
    }

    /// Uses the largest size in which the text fits without breaking words, or else the largest in which it fits at
    /// all. If it does not fit in the smallest size, replaces the end by an ellipsis.
    func fit(width: Double, height: Double) {
        pango_layout_set_width(layout, Int32(width * scale))
        for wrap in [PANGO_WRAP_WORD, PANGO_WRAP_WORD_CHAR] {
            pango_layout_set_wrap(layout, wrap)
            if findSize(width: width, height: height) { return }
        }
        if keepWords(width: width, height: height) { return }
        // Not even the first word fits, or the script writes no spaces.
        pango_layout_set_text(layout, text, -1)
        pango_layout_set_height(layout, Int32(height * scale))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
    }

    /// Keeps as many words as fit before the ellipsis. Returns false if those are less than half of the letters that
    /// would fit, because one word is very long.
    private func keepWords(width: Double, height: Double) -> Bool {
        func fits(_ letters: Substring) -> Bool {
            pango_layout_set_text(layout, letters + "…", -1)
            return self.width <= width + 0.01 && self.height <= height + 0.01
        }
        let ends = text.indices.filter { text[$0].isWhitespace }
        let tooFar = ends.partitioningIndex { !fits(text[..<$0]) }
        guard tooFar > 0 else { return false }
        let kept = text[..<ends[tooFar - 1]]
        // A long word follows if as many letters again would fit.
        if fits(text.prefix(2 * kept.count)) { return false }
        let last = kept.lastIndex { $0.isLetter || $0.isNumber || $0.isSymbol }
        return fits(last.map { kept[...$0] } ?? kept)
    }

    /// Sets the largest size that fits. Returns false and leaves the smallest size if none fits.
    private func findSize(width: Double, height: Double) -> Bool {
        func fits(_ size: Double) -> Bool {
            setSize(size)
            return self.width <= width + 0.01 && self.height <= height + 0.01
        }
        var (fitting, tooLarge) = (style.sizes.lowerBound, style.sizes.upperBound)
        if fits(tooLarge) { return true }
        guard fitting < tooLarge, fits(fitting) else { return false }
        while tooLarge - fitting > 0.5 {
            // Uses multiples of half a point, because Pango keeps a font for each size.
            let size = (fitting + tooLarge).rounded() / 2
            if fits(size) { fitting = size } else { tooLarge = size }
        }
        setSize(fitting)
        return true
    }

    private func setSize(_ points: Double) {
        pango_font_description_set_absolute_size(font, points * scale)
        pango_layout_set_font_description(layout, font)
    }
}

private let scale = Double(PANGO_SCALE)
