import CPangoCairo
import Domain
import Fonts
import Foundation
import MapDatabase

/// The picture of a window of the map that is being drawn. It is used within one call of `Fonts.use`.
final class MapCanvas {
    private let window: MapWindow
    private let style: BasemapStyle
    private let surface: OpaquePointer
    private let cairo: OpaquePointer
    private let pango: OpaquePointer

    init(_ window: MapWindow, scale: Int, _ style: BasemapStyle, _ fonts: UnsafeMutablePointer<PangoFontMap>) {
        (self.window, self.style) = (window, style)
        surface = cairo_image_surface_create(
            CAIRO_FORMAT_RGB24, Int32(Int(window.width) * scale), Int32(Int(window.height) * scale))
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

    /// - Parameters:
    ///   - polygons: Each of rings, of which the first contains the others.
    ///   - hasBorders: whether the polygons are areas, whose borders are drawn.
    func draw(_ polygons: [[[Coordinate]]], hasBorders: Bool) {
        cairo_set_fill_rule(cairo, CAIRO_FILL_RULE_EVEN_ODD)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        let paths = polygons.map { rings in rings.map { $0.map { position($0) } } }
        // A line in the colour of the land closes the gaps between areas, whose common borders are not quite the same.
        setColour(style.land)
        cairo_set_line_width(cairo, 1.5)
        for path in paths {
            add(path)
            cairo_fill_preserve(cairo)
            cairo_stroke(cairo)
        }
        guard hasBorders else { return }
        setColour(style.border)
        cairo_set_line_width(cairo, 0.8)
        // The borders of small areas side by side would be a grey spot.
        for path in paths where isLarge(path) {
            add(path)
            cairo_stroke(cairo)
        }
    }

    // MARK: - Areas and lines of OpenStreetMap

    /// - Parameter shapes: in the order of drawing.
    func draw(_ shapes: [MapDatabase.Shape]) {
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
        let paths = shapes.filter { $0.lines[0].count > 1 }.map { shape in
            (shape.kind, shape.lines.map { $0.map { position($0) } })
        }
        let lines = paths.filter { LineWidth.width($0.0, zoom: window.zoom) != nil }
        for (kind, rings) in paths where LineWidth.width(kind, zoom: window.zoom) == nil { fill(kind, rings) }
        for (kind, path) in lines where !kind.isRoad { stroke(kind, path, window.zoom) }
        if window.zoom >= LineWidth.firstEdges {
            // All edges are below all roads, so that roads join at crossings.
            for (kind, path) in lines where kind.isRoad { strokeEdge(kind, path, window.zoom) }
        }
        for (kind, path) in lines where kind.isRoad { stroke(kind, path, window.zoom) }
    }

    private func fill(_ kind: MapFeature.Kind, _ rings: [[(x: Double, y: Double)]]) {
        guard let colour = style.fill(kind) else { return }
        add(rings)
        setColour(colour)
        cairo_fill_preserve(cairo)
        if kind == .building {
            setColour(style.buildingEdge)
            cairo_set_line_width(cairo, 0.6)
            cairo_stroke(cairo)
        } else {
            // Closes the gaps between areas that have a border in common.
            cairo_set_line_width(cairo, 0.5)
            cairo_stroke(cairo)
        }
    }

    private func stroke(_ kind: MapFeature.Kind, _ lines: [[(x: Double, y: Double)]], _ zoom: Int) {
        guard let width = LineWidth.width(kind, zoom: zoom), let colour = style.fill(kind) else { return }
        if kind == .path || kind == .track {
            cairo_set_dash(cairo, kind == .path ? [3, 3] : [6, 3], 2, 0)
            cairo_set_line_cap(cairo, CAIRO_LINE_CAP_BUTT)
        }
        defer {
            cairo_set_dash(cairo, nil, 0, 0)
            cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND)
        }
        // Without an edge a white street would not be seen.
        let isThin = zoom < LineWidth.firstEdges
        strokeLines(lines, width, isThin ? style.edge(kind) ?? colour : colour)
    }

    private func strokeEdge(_ kind: MapFeature.Kind, _ lines: [[(x: Double, y: Double)]], _ zoom: Int) {
        guard let width = LineWidth.width(kind, zoom: zoom), let edge = style.edge(kind) else { return }
        strokeLines(lines, width + 1.4, edge)
    }

    private func strokeLines(_ lines: [[(x: Double, y: Double)]], _ width: Double, _ colour: BasemapStyle.Colour) {
        for line in lines {
            for (index, point) in line.enumerated() {
                if index == 0 { cairo_move_to(cairo, point.x, point.y) } else { cairo_line_to(cairo, point.x, point.y) }
            }
        }
        setColour(colour)
        cairo_set_line_width(cairo, width)
        cairo_stroke(cairo)
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

    /// Returns a position in pixels. Cairo's coordinates end at 2^23 pixels of the device, so that far ones are moved to a line
    /// outside of the window, 1,200 km away at zoom 19.
    func position(_ point: Coordinate) -> (x: Double, y: Double) {
        let (x, y) = Projection(zoom: window.zoom).position(point)
        return (max(-4e6, min(4e6, x - window.box.minX)), max(-4e6, min(4e6, y - window.box.minY)))
    }

    func draw(_ name: MapNames.Name) {
        draw(name.text, name.style, x: name.x, y: name.y, angle: 0)
    }

    func draw(_ label: MapLabels.Label) {
        draw(label.text, label.style, x: label.x, y: label.y, angle: label.angle)
    }

    private func draw(_ text: String, _ textStyle: NameStyle, x: Double, y: Double, angle: Double) {
        let layout = pango_layout_new(pango)
        let font = pango_font_description_from_string(Fonts.families)
        defer {
            pango_font_description_free(font)
            g_object_unref(UnsafeMutableRawPointer(layout))
        }
        pango_font_description_set_absolute_size(font, textStyle.size * Double(PANGO_SCALE))
        pango_font_description_set_weight(font, textStyle.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
        pango_layout_set_font_description(layout, font)
        pango_layout_set_text(layout, text, -1)
        var (width, height) = (Int32(0), Int32(0))
        pango_layout_get_size(layout, &width, &height)
        cairo_save(cairo)
        cairo_translate(cairo, x - window.box.minX, y - window.box.minY)
        cairo_rotate(cairo, angle)
        cairo_move_to(cairo, -Double(width) / Double(PANGO_SCALE) / 2, -Double(height) / Double(PANGO_SCALE) / 2)
        pango_cairo_layout_path(cairo, layout)
        cairo_restore(cairo)
        setColour(style.land)
        cairo_set_line_width(cairo, 3)
        cairo_stroke_preserve(cairo)
        setColour(colour(textStyle.tone))
        cairo_fill(cairo)
    }

    private func colour(_ tone: NameStyle.Tone) -> BasemapStyle.Colour {
        switch tone {
        case .plain: style.name
        case .quiet: style.quietName
        case .water: style.waterName
        }
    }

    func png() throws -> Data {
        let sink = CairoSink()
        let status = sink.writePNG(of: surface)
        for status in [cairo_status(cairo), status] where status != CAIRO_STATUS_SUCCESS {
            throw BasemapError(description: String(cString: cairo_status_to_string(status)))
        }
        return sink.data
    }

    private func setColour(_ colour: BasemapStyle.Colour) {
        cairo_set_source_rgb(cairo, colour.red, colour.green, colour.blue)
    }
}

extension MapFeature.Kind {
    fileprivate var isRoad: Bool {
        switch self {
        case .path, .track, .service, .street, .tertiary, .secondary, .primary, .trunk, .motorway: true
        default: false
        }
    }
}
