import CPangoCairo

struct TextStyle {
    enum Weight: UInt32 {
        case regular = 400
        case bold = 700
        case black = 900
    }

    /// `start` is the side where reading the page begins.
    enum Alignment {
        case start
        case centre
        case end
    }

    var weight = Weight.regular
    /// Points; the largest that fits is taken.
    var sizes: ClosedRange<Double>
    var colour = Colour.black
    var alignment = Alignment.start
}

/// Text of one style that is broken into lines.
final class TextBlock {
    let style: TextStyle
    let layout: OpaquePointer
    private let font: OpaquePointer

    /// In the largest size of its style, in as few lines as it has.
    init(_ text: String, _ style: TextStyle, on canvas: Canvas) {
        self.style = style
        layout = pango_layout_new(canvas.pango)
        font = pango_font_description_from_string("Lato, Noto Sans, DejaVu Sans, Sans")
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

    /// Pango's left is the right side where a text reads from right to left.
    private func alignment(on canvas: Canvas) -> PangoAlignment {
        if style.alignment == .centre { return PANGO_ALIGN_CENTER }
        let isRightToLeft = pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
        let isLeft = (isRightToLeft == canvas.isRightToLeft) == (style.alignment == .start)
        return isLeft ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT
    }

    /// An address with a hyphen that is not its own would be another.
    private func setAttributes() {
        let attributes = pango_attr_list_new()
        pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
        pango_layout_set_attributes(layout, attributes)
        pango_attr_list_unref(attributes)
    }

    /// Points.
    var width: Double { Double(logicalExtents.width) / scale }
    var height: Double { Double(logicalExtents.height) / scale }

    /// How far the middle of what is seen lies below the top, points.
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

    /// Takes the largest size in which it fits without breaking a word, else the largest in which it fits at all; in the smallest
    /// one, the end is cut off.
    func fit(width: Double, height: Double) {
        pango_layout_set_width(layout, Int32(width * scale))
        for wrap in [PANGO_WRAP_WORD, PANGO_WRAP_WORD_CHAR] {
            pango_layout_set_wrap(layout, wrap)
            if findSize(width: width, height: height) { return }
        }
        pango_layout_set_height(layout, Int32(height * scale))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
    }

    /// Leaves the smallest size where none fits.
    private func findSize(width: Double, height: Double) -> Bool {
        func fits(_ size: Double) -> Bool {
            setSize(size)
            return self.width <= width + 0.01 && self.height <= height + 0.01
        }
        var (fitting, tooLarge) = (style.sizes.lowerBound, style.sizes.upperBound)
        if fits(tooLarge) { return true }
        guard fitting < tooLarge, fits(fitting) else { return false }
        while tooLarge - fitting > 0.5 {
            // Halves of points alone: fonts are kept for each size.
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
