import CPangoCairo
import Foundation
import Testing

/// Decodes a PNG to its size and pixels, each as 0xRRGGBB.
func pixels(_ png: Data) throws -> (side: Int, colours: [Int]) {
    final class Source {
        var rest: Data
        init(_ rest: Data) { self.rest = rest }
    }
    let source = Source(png)
    let surface = cairo_image_surface_create_from_png_stream(
        { source, bytes, count in
            guard let source, let bytes else { return CAIRO_STATUS_READ_ERROR }
            let from = Unmanaged<Source>.fromOpaque(source).takeUnretainedValue()
            guard from.rest.count >= Int(count) else { return CAIRO_STATUS_READ_ERROR }
            from.rest.copyBytes(to: bytes, count: Int(count))
            from.rest.removeFirst(Int(count))
            return CAIRO_STATUS_SUCCESS
        },
        Unmanaged.passUnretained(source).toOpaque()
    )
    defer { cairo_surface_destroy(surface) }
    #expect(cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS)
    let side = Int(cairo_image_surface_get_width(surface))
    #expect(cairo_image_surface_get_height(surface) == Int32(side))
    let stride = Int(cairo_image_surface_get_stride(surface))
    let bytes = try #require(cairo_image_surface_get_data(surface))
    let colours = (0..<side * side).map { pixel in
        let at = bytes + pixel / side * stride + pixel % side * 4
        return Int(at[2]) << 16 | Int(at[1]) << 8 | Int(at[0])
    }
    return (side, colours)
}
