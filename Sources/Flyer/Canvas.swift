import CPangoCairo
import Domain
import Fonts
import Foundation

/// The page or picture that is being drawn. If its title is written from right to left, all boxes are mirrored.
final class Canvas {
    let cairo: OpaquePointer
    let pango: OpaquePointer
    private let surface: OpaquePointer
    private let sink = CairoSink()
    let page: Box
    /// The area that every printer can print.
    let content: Box
    let isRightToLeft: Bool

    enum Kind {
        /// In points, with a margin that not every printer can print.
        case pdf
        /// In pixels.
        case png
    }

    let kind: Kind

    /// - Throws: `FlyerError.drawing`.
    static func draw(
        _ kind: Kind,
        _ page: Box,
        title: String,
        language: Language,
        _ body: (Canvas) -> Void
    ) throws -> Data {
        try Fonts.use { fonts in
            let canvas = Canvas(kind, page, fonts: fonts, title: title, language: language)
            body(canvas)
            return try canvas.finish()
        }
    }

    private init(
        _ kind: Kind, _ page: Box, fonts: UnsafeMutablePointer<PangoFontMap>, title: String, language: Language
    ) {
        self.page = page
        self.kind = kind
        let margin = kind == .pdf ? mm(10) : 0
        content = page.inset(margin, margin)
        surface =
            switch kind {
            case .pdf: Self.pdfSurface(page, title: title, sink)
            case .png: cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(page.width), Int32(page.height))
            }
        cairo = cairo_create(surface)
        pango = pango_font_map_create_context(fonts)
        pango_context_set_language(pango, pango_language_from_string(language.rawValue))
        pango_context_set_round_glyph_positions(pango, 0)
        pango_cairo_update_context(cairo, pango)
        isRightToLeft = pango.isRightToLeft(title)
        add(content)
        cairo_clip(cairo)
    }

    private static func pdfSurface(_ page: Box, title: String, _ sink: CairoSink) -> OpaquePointer {
        let surface: OpaquePointer = cairo_pdf_surface_create_for_stream(
            CairoSink.write,
            sink.closure,
            page.width,
            page.height
        )
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "DoggoFinder")
        // Without this, Cairo writes the current time, and the PDF would differ each time.
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, nil)
        return surface
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pango))
        cairo_destroy(cairo)
        cairo_surface_finish(surface)
        cairo_surface_destroy(surface)
    }

    private func finish() throws -> Data {
        cairo_show_page(cairo)
        var results = [cairo_status(cairo)]
        if kind == .png { results.append(sink.writePNG(of: surface)) }
        cairo_surface_finish(surface)
        results.append(cairo_surface_status(surface))
        for status in results where status != CAIRO_STATUS_SUCCESS {
            throw FlyerError.drawing(String(cString: cairo_status_to_string(status)))
        }
        return sink.data
    }

    /// Returns the position of a box on the page, after mirroring.
    func place(_ box: Box) -> Box {
        var box = box
        if isRightToLeft { box.x = page.width - box.x - box.width }
        return box
    }

    /// Adds a box to the current path.
    func add(_ box: Box) {
        cairo_rectangle(cairo, box.x, box.y, box.width, box.height)
    }

    func setColour(_ colour: Colour) {
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
    }

    /// Restores the drawing state after `body`.
    func scoped(_ body: () -> Void) {
        cairo_save(cairo)
        body()
        cairo_restore(cairo)
    }
}

extension OpaquePointer {
    /// Returns the base direction that Pango determines for a text.
    fileprivate func isRightToLeft(_ text: String) -> Bool {
        let layout = pango_layout_new(self)
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        pango_layout_set_text(layout, text, -1)
        return pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
    }
}
