import Domain
import Foundation
import SpatiaLite

/// The area of a search: a circle, a box, the intersection of both, or the whole Earth.
struct SearchArea {
    let circle: ListingQuery.Circle?
    let box: BoundingBox?
    /// Boxes that cover the area; none crosses the antimeridian.
    let extents: [CellCover.Extent]

    init(circle: ListingQuery.Circle?, box: BoundingBox?) {
        self.circle = circle
        self.box = box
        let boxed = box?.extents ?? [.earth]
        guard let circle, let radius = circle.radius else {
            extents = boxed
            return
        }
        let round = circle.centre.extents(within: radius)
        extents = boxed.flatMap { one in round.compactMap(one.intersection) }
    }

    var isEverywhere: Bool { box == nil && circle?.radius == nil }

    /// Returns the distance from the centre in metres (0 without one), or nil if the point is outside the area.
    func distance(to point: Coordinate) -> Double? {
        guard box?.contains(point) ?? true else { return nil }
        guard let circle else { return 0 }
        guard let radius = circle.radius else { return circle.centre.distance(to: point) }
        // The lower bound costs a fraction of the exact distance.
        guard circle.centre.lowerBound(of: point) <= radius else { return nil }
        let distance = circle.centre.distance(to: point)
        return distance <= radius ? distance : nil
    }

    /// Returns a lower bound of the distance in metres between the centre and the points of the cell (0 without a
    /// centre); nil if the cell is outside the area.
    func lowerBound(of cell: Cell) -> Double? {
        let extent = cell.extent
        guard touches(extent) else { return nil }
        let bound = circle?.centre.lowerBound(ofBox: extent.west, extent.south, extent.east, extent.north) ?? 0
        return bound <= circle?.radius ?? .infinity ? bound : nil
    }

    /// Returns the same area with another radius, in metres.
    func within(_ radius: Double) -> SearchArea {
        SearchArea(circle: circle.map { ListingQuery.Circle(centre: $0.centre, radius: radius) }, box: box)
    }

    /// Returns the cells that touch the area, on the finest level with at most `limit` cells; nil if the area is the
    /// whole Earth.
    func cover(atMost limit: Int, upTo finest: Int = 14) -> CellCover? {
        guard !isEverywhere else { return nil }
        var cover = CellCover(level: CellCover.levels[0], extents: extents)
        for level in CellCover.levels.dropFirst() where level <= finest {
            let finer = CellCover(level: level, extents: extents)
            guard finer.count <= limit else { break }
            cover = finer
        }
        return cover
    }

    /// Returns the cells of a level that touch the area.
    func cover(level: Int) -> CellCover { CellCover(level: level, extents: extents) }

    /// Returns false if the extent is outside the area.
    func touches(_ extent: CellCover.Extent) -> Bool {
        isEverywhere || extents.contains { $0.intersection(extent) != nil }
    }

    /// Returns whether the area contains the whole extent; false if that is uncertain.
    func holds(_ extent: CellCover.Extent) -> Bool {
        guard box.map({ $0.holds(extent) }) ?? true else { return false }
        return circle?.radius.map { isWithin($0, extent) } ?? true
    }

    /// Returns whether the whole extent is within `radius` metres of the centre; false if that is uncertain.
    func isWithin(_ radius: Double, _ extent: CellCover.Extent) -> Bool {
        guard let circle else { return true }
        guard extent.east - extent.west < 10 else { return false }
        let corners = [extent.west, extent.east].flatMap { lon in
            [extent.south, extent.north].compactMap { Coordinate(lon: lon, lat: $0) }
        }
        // In a box of a few degrees, well within a quarter of the Earth, the farthest point is a corner.
        if radius < 5_000_000 { return corners.allSatisfy { circle.centre.distance(to: $0) <= radius } }
        // No way to a point in the box is longer than that over its middle.
        let middle = Coordinate(lon: (extent.west + extent.east) / 2, lat: (extent.south + extent.north) / 2)
        guard let middle, let reach = corners.map(middle.distance).max() else { return false }
        return circle.centre.distance(to: middle) + 1.01 * reach <= radius
    }
}

extension BoundingBox {
    fileprivate func holds(_ extent: CellCover.Extent) -> Bool {
        extents.contains { $0.intersection(extent) == extent }
    }

    /// The box itself, or its parts on both sides of the antimeridian.
    var extents: [CellCover.Extent] {
        let (west, south, east, north) = (southWest.lon, southWest.lat, northEast.lon, northEast.lat)
        guard west > east else { return [.init(west: west, east: east, south: south, north: north)] }
        return [
            .init(west: west, east: 180, south: south, north: north),
            .init(west: -180, east: east, south: south, north: north),
        ]
    }
}

extension Coordinate {
    /// Returns boxes that contain every point within `radius` metres.
    ///
    /// A path on the ellipsoid is at least as long as its angle on the sphere of geodetic latitudes times a(1-e^2), so
    /// the circle lies within that angle. A spherical cap of angle a extends asin(sin a / cos lat) degrees of longitude
    /// to each side.
    fileprivate func extents(within radius: Double) -> [CellCover.Extent] {
        let leastCurvatureRadius = 6_335_439.0  // metres
        // Slightly wider than necessary, so that rounding excludes no point.
        let angle = radius / leastCurvatureRadius * 1.000_001 + 1e-9
        let degrees = angle * 180 / .pi
        let (south, north) = (lat - degrees, lat + degrees)
        guard angle < .pi / 2, south > -90, north < 90 else {
            return [.init(west: -180, east: 180, south: max(-90, south), north: min(90, north))]
        }
        let reach = asin(min(1, sin(angle) / cos(lat * .pi / 180))) * 180 / .pi
        let (west, east) = (lon - reach, lon + reach)
        if west < -180 {
            return [
                .init(west: west + 360, east: 180, south: south, north: north),
                .init(west: -180, east: east, south: south, north: north),
            ]
        }
        if east > 180 {
            return [
                .init(west: west, east: 180, south: south, north: north),
                .init(west: -180, east: east - 360, south: south, north: north),
            ]
        }
        return [.init(west: west, east: east, south: south, north: north)]
    }
}
