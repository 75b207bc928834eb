package import CPangoCairo
package import Foundation

/// Collects the bytes that Cairo writes.
package final class CairoSink {
    package private(set) var data = Data()

    package init() {}

    /// The bytes that Cairo has passed to `write`.
    package var closure: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }

    package static let write: cairo_write_func_t = { sink, bytes, count in
        guard let sink, let bytes else { return CAIRO_STATUS_WRITE_ERROR }
        Unmanaged<CairoSink>.fromOpaque(sink).takeUnretainedValue().data.append(bytes, count: Int(count))
        return CAIRO_STATUS_SUCCESS
    }

    package func writePNG(of surface: OpaquePointer?) -> cairo_status_t {
        cairo_surface_write_to_png_stream(surface, Self.write, closure)
    }
}
