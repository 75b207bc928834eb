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

    /// Fills the box and crops the photo. Less is cropped at the top, where heads usually are.
    func draw(_ photo: Photo, in box: Box) {
        let place = place(box)
        let scale = max(place.width / Double(photo.width), place.height / Double(photo.height))
        let left = place.x + (place.width - Double(photo.width) * scale) / 2
        let top = place.y + (place.height - Double(photo.height) * scale) / 4
        scoped {
            add(place)
            cairo_clip(cairo)
            cairo_translate(cairo, left, top)
            cairo_scale(cairo, scale, scale)
            var extents = cairo_rectangle_t(x: 0, y: 0, width: Double(photo.width), height: Double(photo.height))
            let surface = cairo_recording_surface_create(CAIRO_CONTENT_COLOR, &extents)
            embed(photo.bytes, in: surface)
            cairo_set_source_surface(cairo, surface, 0, 0)
            cairo_paint(cairo)
            cairo_surface_destroy(surface)
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
