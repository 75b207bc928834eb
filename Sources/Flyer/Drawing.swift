import CPangoCairo
import Foundation

extension Canvas {
    func fill(_ box: Box, _ colour: Colour) {
        setColour(colour)
        add(place(box))
        cairo_fill(cairo)
    }

    /// Draws a text at the top of a box to which it was fitted.
    func draw(_ block: TextBlock, in box: Box) {
        let place = place(box)
        setColour(block.style.colour)
        cairo_move_to(cairo, place.x, place.y)
        pango_cairo_show_layout(cairo, block.layout)
    }

    func write(_ text: String, _ style: TextStyle, in box: Box) {
        let block = TextBlock(text, style, on: self)
        block.fit(width: box.width, height: box.height)
        draw(block, in: box)
    }

    /// Centres the visible part of the text vertically.
    func writeMiddle(_ text: String, _ style: TextStyle, in box: Box) {
        let block = TextBlock(text, style, on: self)
        block.fit(width: box.width, height: box.height)
        var place = box
        place.y += box.height / 2 - block.inkMiddle
        draw(block, in: place)
    }

    /// Draws along the two corners of a box that has no width or no height.
    func dashedLine(in box: Box) {
        let place = place(box)
        scoped {
            setColour(.grey)
            cairo_set_line_width(cairo, 0.75)
            cairo_set_dash(cairo, [4, 3], 2, 0)
            cairo_move_to(cairo, place.x, place.y)
            cairo_line_to(cairo, place.x + place.width, place.y + place.height)
            cairo_stroke(cairo)
        }
    }

    /// Draws in a box turned by a quarter, so that its text runs from the bottom to the top.
    func turned(_ box: Box, _ body: (Box) -> Void) {
        let target = place(box)
        // `body` draws at this place, which the transformation moves to the target.
        let turned = place(Box(x: 0, y: 0, width: box.height, height: box.width))
        scoped {
            cairo_translate(cairo, target.x, target.y + target.height)
            cairo_rotate(cairo, -Double.pi / 2)
            cairo_translate(cairo, -turned.x, -turned.y)
            pango_cairo_update_context(cairo, pango)
            body(Box(x: 0, y: 0, width: box.height, height: box.width))
        }
        pango_cairo_update_context(cairo, pango)
    }

    /// Draws the code as one path, so that no hairlines appear between the modules.
    func draw(_ code: QRCode, in box: Box) {
        let place = place(box)
        scoped {
            cairo_translate(cairo, place.x, place.y)
            cairo_scale(cairo, place.width / Double(code.side), place.height / Double(code.side))
            for run in code.runs { add(run) }
            setColour(.black)
            cairo_fill(cairo)
        }
    }

    func draw(_ photo: Photo, in box: Box) {
        var extents = cairo_rectangle_t(x: 0, y: 0, width: Double(photo.width), height: Double(photo.height))
        let surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, &extents)
        embed(photo.bytes, in: surface)
        fill(box, with: surface, width: photo.width, height: photo.height)
        cairo_surface_destroy(surface)
    }

    func draw(_ photo: Picture.Photo, in box: Box) {
        let surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, Int32(photo.width), Int32(photo.height))
        photo.write(to: surface)
        fill(box, with: surface, width: photo.width, height: photo.height)
        cairo_surface_destroy(surface)
    }

    /// Fills the box and crops the photo. A fifth of what is cropped is cropped at the top, as on the pages.
    func fill(_ box: Box, with photo: OpaquePointer?, width: Int, height: Int) {
        let place = place(box)
        let scale = max(place.width / Double(width), place.height / Double(height))
        let left = place.x + (place.width - Double(width) * scale) / 2
        let top = place.y + (place.height - Double(height) * scale) / 5
        scoped {
            add(place)
            cairo_clip(cairo)
            cairo_translate(cairo, left, top)
            cairo_scale(cairo, scale, scale)
            cairo_set_source_surface(cairo, photo, 0, 0)
            cairo_paint(cairo)
        }
    }

    /// Draws a paw in place of a photo.
    func drawPaw(_ colour: Colour, in box: Box) {
        let side = min(box.width, box.height) * 0.8
        let place = place(box.centred(width: side, height: side))
        // Centre and radii of the toes and the pad, relative to the side.
        let parts = [
            (0.22, 0.42, 0.09, 0.12), (0.78, 0.42, 0.09, 0.12), (0.39, 0.22, 0.09, 0.125), (0.61, 0.22, 0.09, 0.125),
            (0.5, 0.66, 0.22, 0.19),
        ]
        setColour(colour)
        for (x, y, width, height) in parts {
            scoped {
                cairo_translate(cairo, place.x + x * side, place.y + y * side)
                cairo_scale(cairo, width * side, height * side)
                cairo_arc(cairo, 0, 0, 1, 0, 2 * Double.pi)
                cairo_fill(cairo)
            }
        }
    }

    /// Cairo writes these bytes to the PDF instead of the contents of the surface, which is empty.
    private func embed(_ jpeg: Data, in surface: OpaquePointer?) {
        guard let copy = malloc(jpeg.count) else { return }
        jpeg.copyBytes(to: copy.assumingMemoryBound(to: UInt8.self), count: jpeg.count)
        let status = cairo_surface_set_mime_data(surface, CAIRO_MIME_TYPE_JPEG, copy, UInt(jpeg.count), free, copy)
        if status != CAIRO_STATUS_SUCCESS { free(copy) }
    }

    /// Makes everything that `body` draws a link to the address.
    func link(to address: String, _ body: () -> Void) {
        guard address.isWebAddress else { return body() }
        cairo_tag_begin(cairo, CAIRO_TAG_LINK, "uri='\(address)'")
        body()
        cairo_tag_end(cairo, CAIRO_TAG_LINK)
    }
}

extension String {
    /// Whether the text contains only characters of RFC 3986, without the quote character that ends a string in Cairo's
    /// tags.
    fileprivate var isWebAddress: Bool {
        wholeMatch(of: /https?:\/\/[A-Za-z0-9\-._~:\/?#\[\]@!$&()*+,;=%]+/) != nil
    }
}
