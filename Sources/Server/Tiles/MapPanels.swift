import Basemap
import Domain
import Flyer
import Foundation

/// Makes the maps of flyers, pictures and mails from what everybody may know of a listing's place.
struct MapPanels: Sendable {
    let tiles: BasemapTiles

    /// The radius in metres of the circle through the corners of a cell of 500 m, as on the pages.
    private static let cellRadius = 354.0
    /// In pixels, so that streets around a cell are seen.
    private static let maxRadius = 72.0
    private static let zooms = 13...15

    /// Changes when panels look different.
    var version: String { tiles.version }

    /// Returns nil where no extract of OpenStreetMap has streets, and for a listing of which only the town is known. A map that
    /// cannot be drawn now is left out, because everything that has a map is useful without it.
    func panel(of location: ListingLocation) async -> MapPanel? {
        guard !location.approximate || location.exact != nil else { return nil }
        let centre = location.coordinate
        var (zoom, mark) = (Self.zooms.upperBound, MapPanel.Mark.point)
        if location.approximate {
            zoom = Self.zooms.last { Self.radius(centre, zoom: $0) <= Self.maxRadius } ?? Self.zooms.lowerBound
            mark = .area(radius: Self.radius(centre, zoom: zoom))
        }
        let window = MapWindow(around: centre, zoom: zoom, width: MapPanel.width, height: MapPanel.height)
        let png = try? await tiles.png(window, scale: MapPanel.scale)
        return png.flatMap(\.self).map { MapPanel(png: $0, mark: mark) }
    }

    /// Returns the radius of a cell in pixels. Web Mercator is as many times larger than the Earth as the cosine of the latitude
    /// is smaller than one (EPSG:3857; the equator has 40,075,016.7 m).
    private static func radius(_ centre: Coordinate, zoom: Int) -> Double {
        let metresPerPixel = 40_075_016.7 * cos(centre.lat * .pi / 180) / (256 * Double(1 << zoom))
        return cellRadius / metresPerPixel
    }
}
