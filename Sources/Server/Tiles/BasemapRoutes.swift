import Basemap
import Domain
import Foundation
import HTTP
import HTTPTypes
import Hummingbird

/// The map behind pins, as pictures that the service draws.
struct BasemapRoutes {
    let tiles: BasemapTiles

    func add(to router: some RouterMethods<ServiceContext>) {
        router.get("/basemap/:z/:x/{y}.png", use: show)
    }

    /// The address of the tiles, for Leaflet.
    ///
    /// - Parameter base: the path of the site.
    static func template(_ tiles: BasemapTiles, base: String) -> String {
        "\(base)/basemap/{z}/{x}/{y}{r}.png?style={style}&design=\(tiles.version)"
    }

    @Sendable private func show(_ request: Request, _ context: ServiceContext) async throws -> Response {
        let query = request.queryReader()
        let row = context.parameters.get("y") ?? ""
        let isDouble = row.hasSuffix("@2x")
        let key = BasemapTiles.Key(
            tile: try MapTile(context.parameters, row: isDouble ? String(row.dropLast(3)) : row, zooms: Basemap.zooms),
            scale: isDouble ? 2 : 1,
            style: try query.choice("style", BasemapStyle.self) ?? .light
        )
        let picture = try await tiles.picture(key)
        let headers: HTTPFields = [
            .contentType: "image/png", .eTag: picture.tag, .cacheControl: "public, max-age=604800",
        ]
        if request.knows(picture.tag) { return Response(status: .notModified, headers: headers) }
        return Response(
            status: .ok,
            headers: headers,
            body: ResponseBody(byteBuffer: ByteBuffer(data: picture.bytes))
        )
    }
}
