package import CPangoCairo
import Synchronization

/// The fonts that flyers, pictures and map tiles are written with.
package enum Fonts {
    /// The families of a text, the first that has a character.
    package static let families = "Lato, Noto Sans, DejaVu Sans, Sans"

    /// Serialises drawing: in Cairo 1.16, an assertion fails and ends the process if several threads draw text and use
    /// its caches at once.
    private static let loaded = Mutex(FontMap())

    /// Calls with the fonts, one caller after another. Text is drawn only in such a call.
    package static func use<Value: Sendable>(
        _ draw: (UnsafeMutablePointer<PangoFontMap>) throws -> Value
    ) rethrows -> Value {
        try loaded.withLock { fonts in
            if fonts.needsReload { fonts = FontMap() }
            return try draw(fonts.map)
        }
    }
}

/// Loaded fonts are kept for several drawings, because finding them takes longer than drawing a flyer. They are not kept
/// permanently, because Pango stores data for every script and size it has used.
private final class FontMap {
    let map: UnsafeMutablePointer<PangoFontMap> = pango_cairo_font_map_new()
    private var drawings = 0

    /// Whether the fonts should be loaded again. Call it once per drawing.
    var needsReload: Bool {
        drawings += 1
        return drawings > 100
    }

    deinit {
        g_object_unref(map)
    }
}
