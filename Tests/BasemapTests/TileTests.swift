import CPangoCairo
import Domain
import Fonts
import Foundation
import Gazetteer
import TestSupport
import Testing

@testable import Basemap

@Suite("Tiles of the map")
struct TileTests {
    private static let basemap = Result { Basemap(try Bundled.gazetteer()) }

    private static func png(
        _ zoom: Int,
        _ column: Int,
        _ row: Int,
        scale: Int = 1,
        _ style: BasemapStyle = .light
    ) throws -> Data {
        let tile = try #require(MapTile(zoom: zoom, column: column, row: row))
        return try basemap.get().png(tile, scale: scale, style)
    }

    @Test("Land and sea have the colours of the style, at both scales", arguments: [1, 2])
    func colours(scale: Int) throws {
        // Sardinia is at the left, the sea to the east of it.
        for (style, sea, land) in [(BasemapStyle.light, 0xCFE3EC, 0xF6F1EA), (.dark, 0x1A2A33, 0x2A2622)] {
            let (side, colours) = try pixels(try Self.png(6, 33, 24, scale: scale, style))
            #expect(side == 256 * scale)
            let share = { (colour: Int) in Double(colours.count { $0 == colour }) / Double(colours.count) }
            #expect(share(sea) > 0.2 && share(land) > 0.1 && share(sea) + share(land) > 0.8)
        }
    }

    @Test(
        "No gap between areas shows the sea inland",
        arguments: [(7, 67, 43), (8, 137, 88), (9, 276, 182), (10, 548, 348)])
    func gaps(zoom: Int, column: Int, row: Int) throws {
        let (_, colours) = try pixels(try Self.png(zoom, column, row))
        #expect(!colours.contains(0xCFE3EC))
    }

    @Test("A tile has the same bytes again, and everywhere one is drawn")
    func everywhere() throws {
        #expect(try Self.png(8, 138, 95) == Self.png(8, 138, 95))
        for (zoom, column, row) in [
            (0, 0, 0), (1, 1, 1), (3, 7, 0), (3, 0, 7), (19, 0, 0), (19, 524_287, 524_287), (19, 283_600, 196_500),
        ] {
            #expect(try pixels(try Self.png(zoom, column, row)).side == 256)
        }
    }

    @Test("The width that is assumed of a name is at least that of its letters")
    func widths() throws {
        let gazetteer = try Bundled.gazetteer()
        let places = gazetteer.mapPlaces()
        let wide = Fonts.use { fonts in
            let context = pango_font_map_create_context(fonts)
            let layout = pango_layout_new(context)
            defer {
                g_object_unref(UnsafeMutableRawPointer(layout))
                g_object_unref(UnsafeMutableRawPointer(context))
            }
            return stride(from: 0, to: places.count, by: 40).filter { index in
                let style = NameStyle.settlement(population: places[index].population)
                let name = gazetteer.name(of: places[index])
                let font = pango_font_description_from_string(Fonts.families)
                pango_font_description_set_absolute_size(font, style.size * Double(PANGO_SCALE))
                pango_font_description_set_weight(font, style.isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
                pango_layout_set_font_description(layout, font)
                pango_font_description_free(font)
                pango_layout_set_text(layout, name, -1)
                var (width, height) = (Int32(0), Int32(0))
                pango_layout_get_pixel_size(layout, &width, &height)
                // Half of the distance of names is left on each side.
                return Double(width) > style.width(of: name) + 8 || height > 22
            }.map { gazetteer.name(of: places[$0]) }
        }
        #expect(wide == [])
    }
}
