import CGEOS
import Domain

/// The line a way or a polygon draws.
struct Shape {
    let line: [Coordinate]

    /// A point on the surface of what is closed, also of a U; the middle of what is open. Nil for no points.
    var pointInside: Coordinate? {
        guard line.count >= 4, line.first == line.last else { return line.isEmpty ? nil : line[line.count / 2] }
        return pointOnSurface ?? line[0]
    }

    private var pointOnSurface: Coordinate? {
        guard let geos = GEOS_init_r() else { return nil }
        defer { GEOS_finish_r(geos) }
        guard let sequence = GEOSCoordSeq_create_r(geos, UInt32(line.count), 2) else { return nil }
        for (index, point) in line.enumerated() {
            GEOSCoordSeq_setXY_r(geos, sequence, UInt32(index), point.lon, point.lat)
        }
        // Ring and polygon take over what they are made of.
        guard let ring = GEOSGeom_createLinearRing_r(geos, sequence),
            let polygon = GEOSGeom_createPolygon_r(geos, ring, nil, 0)
        else { return nil }
        defer { GEOSGeom_destroy_r(geos, polygon) }
        guard let point = GEOSPointOnSurface_r(geos, polygon) else { return nil }
        defer { GEOSGeom_destroy_r(geos, point) }
        var (lon, lat) = (0.0, 0.0)
        guard GEOSGeomGetX_r(geos, point, &lon) == 1, GEOSGeomGetY_r(geos, point, &lat) == 1 else { return nil }
        return Coordinate(lon: lon, lat: lat)
    }
}
