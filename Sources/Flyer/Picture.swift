import CPangoCairo
package import Domain
package import Foundation

/// A square picture of a listing for chats and social networks, which show no flyers.
///
/// The caller supplies all texts in the language of the picture.
package struct Picture: Equatable, Sendable {
    /// In pixels.
    package static let side = 1080
    /// Changes whenever the same picture is drawn differently, so that no client keeps an old one.
    package static let design = 3

    package struct Photo: Sendable {
        /// In pixels.
        let width: Int
        let height: Int
        /// Red, green and blue of each pixel, row by row from the top.
        let pixels: [UInt8]

        /// Returns nil if the number of pixels does not fit the size.
        package init?(width: Int, height: Int, pixels: [UInt8]) {
            guard (1...10_000).contains(width), (1...10_000).contains(height), pixels.count == width * height * 3 else {
                return nil
            }
            (self.width, self.height, self.pixels) = (width, height, pixels)
        }
    }

    /// Such as "LOST".
    package let headline: String
    /// Determines the colour of the bands.
    package let status: Listing.Status
    package let name: String
    package let reward: String?
    /// The place, the day and the like, each for a line.
    package let lines: [String]
    package let phone: String?
    package var map: MapPanel?
    /// The web address of the listing without its scheme.
    package let address: String
    package let language: Language

    package init(
        headline: String,
        status: Listing.Status,
        name: String,
        reward: String? = nil,
        lines: [String],
        phone: String? = nil,
        address: String,
        language: Language
    ) {
        (self.headline, self.status, self.name, self.reward) = (headline, status, name, reward)
        (self.lines, self.phone, self.address, self.language) = (lines, phone, address, language)
    }

    /// Returns a PNG. The same picture with the same photo always produces the same bytes.
    ///
    /// The method can be called from any thread; pictures are drawn one after another.
    /// - Throws: `FlyerError.drawing`.
    package func png(photo: Photo?) throws -> Data {
        let page = Box(x: 0, y: 0, width: Double(Self.side), height: Double(Self.side))
        return try Canvas.draw(.png, page, title: headline, language: language) {
            PictureLayout(picture: self, photo: photo, canvas: $0).draw()
        }
    }
}

extension Picture.Photo {
    /// Writes the pixels in the format of Cairo: blue, green, red and an unused byte.
    func write(to surface: OpaquePointer?) {
        cairo_surface_flush(surface)
        guard let data = cairo_image_surface_get_data(surface) else { return }
        let stride = Int(cairo_image_surface_get_stride(surface))
        pixels.withUnsafeBufferPointer { pixels in
            for y in 0..<height {
                for x in 0..<width {
                    let (from, to) = ((y * width + x) * 3, y * stride + x * 4)
                    data[to] = pixels[from + 2]
                    data[to + 1] = pixels[from + 1]
                    data[to + 2] = pixels[from]
                }
            }
        }
        cairo_surface_mark_dirty(surface)
    }
}
