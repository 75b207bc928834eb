import CPangoCairo
package import Foundation

/// A map around the place of a listing, which is in its middle.
package struct MapPanel: Equatable, Sendable {
    /// In pixels of the map, whose names are written with 11 pixels.
    package static let (width, height) = (300, 200)
    /// The pixels of the PNG for one of the map, for printers.
    package static let scale = 3

    package enum Mark: Equatable, Sendable {
        case point
        /// The place is somewhere in a circle.
        ///
        /// - `radius`: in pixels of the map.
        case area(radius: Double)
    }

    let png: Data
    package let mark: Mark

    package init(png: Data, mark: Mark) {
        (self.png, self.mark) = (png, mark)
    }

    static let ratio = Double(width) / Double(height)
    /// Names the authors of the map, as their licence requires.
    fileprivate static let credit = "© OpenStreetMap"
}

extension Canvas {
    /// Draws a map into a box of its shape.
    func draw(_ map: MapPanel, markedIn colour: Colour, in box: Box) {
        let place = place(box)
        let scale = place.width / Double(MapPanel.width)
        draw(png: map.png, in: box)
        scoped {
            add(place)
            cairo_clip(cairo)
            cairo_translate(cairo, place.x + place.width / 2, place.y + place.height / 2)
            cairo_scale(cairo, scale, scale)
            switch map.mark {
            case .point: drawPin(colour)
            case .area(let radius): drawArea(radius, colour)
            }
        }
        writeCredit(size: max(kind == .pdf ? 5.5 : 12, 7 * scale), in: box)
        scoped {
            add(place)
            setColour(.grey)
            cairo_set_line_width(cairo, 0.5 * scale)
            cairo_stroke(cairo)
        }
    }

    private func draw(png: Data, in box: Box) {
        let reader = PNGReader(png)
        let surface = cairo_image_surface_create_from_png_stream(
            { PNGReader.read($0, $1, $2) }, Unmanaged.passUnretained(reader).toOpaque())
        defer { cairo_surface_destroy(surface) }
        let (width, height) = (cairo_image_surface_get_width(surface), cairo_image_surface_get_height(surface))
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS, width > 0, height > 0 else { return }
        fill(box, with: surface, width: Int(width), height: Int(height))
    }

    /// Draws a pin whose tip is at the origin.
    private func drawPin(_ colour: Colour) {
        cairo_new_path(cairo)
        // The lines from the tip touch the circle of the head.
        cairo_arc(cairo, 0, -18, 10, .pi * 0.84, .pi * 0.16)
        cairo_line_to(cairo, 0, 0)
        cairo_close_path(cairo)
        fillWithEdge(colour)
        cairo_arc(cairo, 0, -18, 3.5, 0, 2 * .pi)
        setColour(.white)
        cairo_fill(cairo)
    }

    private func fillWithEdge(_ colour: Colour) {
        setColour(.white)
        cairo_set_line_width(cairo, 3)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        cairo_stroke_preserve(cairo)
        setColour(colour)
        cairo_fill(cairo)
    }

    private func drawArea(_ radius: Double, _ colour: Colour) {
        cairo_new_path(cairo)
        cairo_arc(cairo, 0, 0, radius, 0, 2 * .pi)
        cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, 0.12)
        cairo_fill_preserve(cairo)
        setColour(colour)
        cairo_set_line_width(cairo, 2)
        cairo_stroke(cairo)
    }

    private func writeCredit(size: Double, in box: Box) {
        let block = TextBlock(MapPanel.credit, TextStyle(sizes: size...size, colour: .grey), on: self)
        var corner = box
        corner = corner.cutBottom(block.height)
        corner = corner.cutRight(block.width + size)
        fill(corner, .white)
        draw(block, in: corner.inset(size / 2, 0))
    }
}

/// Gives Cairo the bytes of a file.
private final class PNGReader {
    private var rest: Data

    init(_ data: Data) { rest = data }

    static func read(
        _ reader: UnsafeMutableRawPointer?, _ bytes: UnsafeMutablePointer<UInt8>?, _ count: UInt32
    ) -> cairo_status_t {
        guard let reader, let bytes else { return CAIRO_STATUS_READ_ERROR }
        let reading = Unmanaged<PNGReader>.fromOpaque(reader).takeUnretainedValue()
        guard reading.rest.count >= Int(count) else { return CAIRO_STATUS_READ_ERROR }
        reading.rest.prefix(Int(count)).copyBytes(to: bytes, count: Int(count))
        reading.rest = reading.rest.dropFirst(Int(count))
        return CAIRO_STATUS_SUCCESS
    }
}
