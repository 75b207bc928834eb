package import Domain
package import Foundation

/// A photo beside a map, for mails, in which one picture is smaller than two.
package struct PhotoAndMap: Sendable {
    /// In pixels. The map is as high as the photo.
    package static let (photoWidth, height) = (180, 240)

    private let photo: Picture.Photo?
    private let map: MapPanel
    private let status: Listing.Status

    /// - Parameter status: determines the colour of the mark.
    package init(photo: Picture.Photo?, map: MapPanel, status: Listing.Status) {
        (self.photo, self.map, self.status) = (photo, map, status)
    }

    /// In pixels.
    package var width: Int {
        Int(Double(Self.height) * MapPanel.ratio) + (photo == nil ? 0 : Self.photoWidth)
    }

    /// Returns a PNG.
    ///
    /// - Throws: `FlyerError.drawing`.
    package func png() throws -> Data {
        let page = Box(x: 0, y: 0, width: Double(width), height: Double(Self.height))
        return try Canvas.draw(.png, page, title: "", language: .english) { canvas in
            var box = page
            if let photo { canvas.draw(photo, in: box.cutLeft(Double(Self.photoWidth))) }
            canvas.draw(map, markedIn: status.colour, in: box)
        }
    }
}
