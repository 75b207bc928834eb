import CPangoCairo
import Domain
import Fonts
import Foundation

/// The picture of a tile that is being drawn. It is used within one call of `Fonts.use`.
final class TileCanvas {
    private let style: BasemapStyle
    private let surface: OpaquePointer
    private let cairo: OpaquePointer
    private let pango: OpaquePointer
    private var data = Data()

    init(scale: Int, _ style: BasemapStyle, _ fonts: UnsafeMutablePointer<PangoFontMap>) {
        self.style = style
        let pixels = Int32(Int(MapNames.tileSize) * scale)
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels, pixels)
        cairo = cairo_create(surface)
        cairo_scale(cairo, Double(scale), Double(scale))
        pango = pango_font_map_create_context(fonts)
        pango_context_set_round_glyph_positions(pango, 0)
        pango_cairo_update_context(cairo, pango)
        setColour(style.sea)
        cairo_paint(cairo)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pango))
        cairo_destroy(cairo)
        cairo_surface_destroy(surface)
    }

    /// - Parameter polygons: Each of rings, of which the first contains the others.
    func draw(_ polygons: [[[Coordinate]]], in tile: MapTile) {
        cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        let paths = polygons.map { rings in rings.map { $0.map { position($0, in: tile) } } }
        // A line in the colour of the land closes the gaps between areas, whose common borders are not quite the same.
        setColour(style.land)
        cairo_set_line_width(cairo, 1.5)
        for path in paths {
            add(path)
            cairo_fill_preserve(cairo)
            cairo_stroke(cairo)
        }
        setColour(style.border)
        cairo_set_line_width(cairo, 0.8)
        // The borders of small areas side by side would be a grey spot.
        for path in paths where isLarge(path) {
            add(path)
            cairo_stroke(cairo)
        }
    }

    private func isLarge(_ rings: [[(x: Double, y: Double)]]) -> Bool {
        let (x, y) = (rings.first?.map(\.x) ?? [], rings.first?.map(\.y) ?? [])
        guard let west = x.min(), let east = x.max(), let north = y.min(), let south = y.max() else { return false }
        return max(east - west, south - north) >= Self.leastBorder
    }

    /// In pixels.
    private static let leastBorder = 24.0

    private func add(_ rings: [[(x: Double, y: Double)]]) {
        for ring in rings {
            for (index, point) in ring.enumerated() {
                if index == 0 { cairo_move_to(cairo, point.x, point.y) } else { cairo_line_to(cairo, point.x, point.y) }
            }
            cairo_close_path(cairo)
        }
    }

    /// Returns a position in pixels. Cairo's coordinates end at 2^23 pixels of the device, so that far ones are moved to a line outside
    /// of the tile, 1,200 km away at zoom 19.
    private func position(_ point: Coordinate, in tile: MapTile) -> (x: Double, y: Double) {
        let (x, y) = MapTile.fraction(of: point)
        let tiles = Double(1 << tile.zoom)
        func pixel(_ fraction: Double, _ tile: Int) -> Double {
            max(-4e6, min(4e6, (fraction * tiles - Double(tile)) * MapNames.tileSize))
        }
        return (pixel(x, tile.column), pixel(y, tile.row))
    }

    func draw(_ name: MapNames.Name, in tile: MapTile) {
        let layout = pango_layout_new(pango)
        let font = pango_font_description_from_string(Fonts.families)
        defer {
            pango_font_description_free(font)
            g_object_unref(UnsafeMutableRawPointer(layout))
        }
        pango_font_description_set_absolute_size(font, name.style.size * Double(PANGO_SCALE))
        pango_font_description_set_weight(font, name.style.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_layout_set_font_description(layout, font)
        pango_layout_set_text(layout, name.text, -1)
        var (width, height) = (Int32(0), Int32(0))
        pango_layout_get_size(layout, &width, &height)
        let left = name.x - Double(tile.column) * MapNames.tileSize - Double(width) / Double(PANGO_SCALE) / 2
        let top = name.y - Double(tile.row) * MapNames.tileSize - Double(height) / Double(PANGO_SCALE) / 2
        cairo_move_to(cairo, left, top)
        pango_cairo_layout_path(cairo, layout)
        setColour(style.land)
        cairo_set_line_width(cairo, 3)
        cairo_stroke_preserve(cairo)
        setColour(name.style.isQuiet ? style.quietName : style.name)
        cairo_fill(cairo)
    }

    func png() throws -> Data {
        let status = cairo_surface_write_to_png_stream(
            surface,
            { canvas, bytes, count in
                guard let canvas, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
                Unmanaged<TileCanvas>.fromOpaque(canvas).takeUnretainedValue().data.append(bytes, count: Int(count))
                return CAIRO_STATUS_SUCCESS
            },
            Unmanaged.passUnretained(self).toOpaque()
        )
        for status in [cairo_status(cairo), status] where status != CAIRO_STATUS_SUCCESS {
            throw BasemapError(description: String(cString: cairo_status_to_string(status)))
        }
        return data
    }

    private func setColour(_ colour: BasemapStyle.Colour) {
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
    }
}
