import CPangoCairo
import Domain
import Foundation
import Synchronization

/// The PDF page that is being drawn. If its title is written from right to left, all boxes are mirrored.
final class Canvas {
    let cairo: OpaquePointer
    let pango: OpaquePointer
    private let surface: OpaquePointer
    private let sink = Sink()
    let isRightToLeft: Bool

    /// Serialises drawing: in Cairo 1.16, an assertion fails and ends the process if several threads draw text and use
    /// its caches at once.
    private static let fonts = Mutex(FontMap())

    /// - Throws: `FlyerError.drawing`.
    static func draw(title: String, language: Language, _ body: (Canvas) -> Void) throws -> Data {
        try fonts.withLock { fonts in
            if fonts.needsReload { fonts = FontMap() }
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
        // Without this, Cairo writes the current time, and the PDF would differ each time.
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

    /// Returns the position of a box on the page, after mirroring.
    func place(_ box: Box) -> Box {
        var box = box
        if isRightToLeft { box.x = Box.page.width - box.x - box.width }
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

/// Loaded fonts are kept for several flyers, because finding them takes longer than drawing a flyer. They are not kept
/// permanently, because Pango stores data for every script and size it has used.
private final class FontMap {
    let map: UnsafeMutablePointer<PangoFontMap> = pango_cairo_font_map_new()
    private var flyers = 0

    /// Whether the fonts should be loaded again. Call it once per flyer.
    var needsReload: Bool {
        flyers += 1
        return flyers > 100
    }

    deinit {
        g_object_unref(map)
    }
}

/// Collects the bytes that Cairo writes.
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
