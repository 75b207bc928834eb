import CPangoCairo
import Domain
import Foundation
import Synchronization

/// The page of a PDF while it is drawn. Where its title reads from right to left, boxes are mirrored.
final class Canvas {
    let cairo: OpaquePointer
    let pango: OpaquePointer
    private let surface: OpaquePointer
    private let sink = Sink()
    let isRightToLeft: Bool

    /// Cairo 1.16 ends the process by an assertion where threads that draw text meet in its caches: one draws at a time.
    private static let fonts = Mutex(FontMap())

    /// - Throws: `FlyerError.drawing`.
    static func draw(title: String, language: Language, _ body: (Canvas) -> Void) throws -> Data {
        try fonts.withLock { fonts in
            if fonts.isWornOut { fonts = FontMap() }
            let canvas = Canvas(fonts: fonts, title: title, language: language)
            body(canvas)
            return try canvas.finish()
        }
    }

    private init(fonts: FontMap, title: String, language: Language) {
        surface = cairo_pdf_surface_create_for_stream(
            { Sink.write($0, $1, $2) },
            Unmanaged.passUnretained(sink).toOpaque(),
            Box.page.width,
            Box.page.height
        )
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "DoggoFinder")
        // Else it is the time of day, and no two PDFs are the same.
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, nil)
        cairo = cairo_create(surface)
        pango = pango_font_map_create_context(fonts.map)
        pango_context_set_language(pango, pango_language_from_string(language.rawValue))
        pango_context_set_round_glyph_positions(pango, 0)
        pango_cairo_update_context(cairo, pango)
        isRightToLeft = pango.isRightToLeft(title)
        add(.content)
        cairo_clip(cairo)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pango))
        cairo_destroy(cairo)
        cairo_surface_finish(surface)
        cairo_surface_destroy(surface)
    }

    private func finish() throws -> Data {
        cairo_show_page(cairo)
        let drawn = cairo_status(cairo)
        cairo_surface_finish(surface)
        for status in [drawn, cairo_surface_status(surface)] where status != CAIRO_STATUS_SUCCESS {
            throw FlyerError.drawing(String(cString: cairo_status_to_string(status)))
        }
        return sink.data
    }

    /// Where a box lies on the page.
    func place(_ box: Box) -> Box {
        var box = box
        if isRightToLeft { box.x = Box.page.width - box.x - box.width }
        return box
    }

    /// To the path.
    func add(_ box: Box) {
        cairo_rectangle(cairo, box.x, box.y, box.width, box.height)
    }

    func setColour(_ colour: Colour) {
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
    }

    /// What `body` changes of the state of the drawing lasts as long as `body`.
    func scoped(_ body: () -> Void) {
        cairo_save(cairo)
        body()
        cairo_restore(cairo)
    }
}

extension OpaquePointer {
    /// As this context of Pango's would set a text.
    fileprivate func isRightToLeft(_ text: String) -> Bool {
        let layout = pango_layout_new(self)
        defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
        pango_layout_set_text(layout, text, -1)
        return pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL
    }
}

/// Fonts that were loaded stay for some flyers: finding them takes longer than drawing one. Not for good, since Pango keeps
/// something for every script and size that it ever saw.
private final class FontMap {
    let map: UnsafeMutablePointer<PangoFontMap> = pango_cairo_font_map_new()
    private var flyers = 0

    /// Whether it served its time; asked once for each flyer.
    var isWornOut: Bool {
        flyers += 1
        return flyers > 100
    }

    deinit {
        g_object_unref(map)
    }
}

/// Takes what Cairo writes.
private final class Sink {
    private(set) var data = Data()

    static func write(
        _ sink: UnsafeMutableRawPointer?,
        _ bytes: UnsafePointer<UInt8>?,
        _ count: UInt32
    ) -> cairo_status_t {
        guard let sink, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
        Unmanaged<Sink>.fromOpaque(sink).takeUnretainedValue().data.append(bytes, count: Int(count))
        return CAIRO_STATUS_SUCCESS
    }
}
