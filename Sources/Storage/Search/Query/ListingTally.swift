import Domain

/// The number of listings and the sums of their coordinates in units of 1e-7 degrees.
struct ListingTally {
    var count = ListingCount()
    var lon: Int64 = 0
    var lat: Int64 = 0

    init(count: ListingCount = ListingCount(), lon: Int64 = 0, lat: Int64 = 0) {
        self.count = count
        self.lon = lon
        self.lat = lat
    }

    init(_ points: [Candidate], isAll: Bool) {
        count = ListingCount(count: points.count, isExact: isAll)
        for point in points.map(\.point) {
            lon += Int64(point.lon * 1e7)
            lat += Int64(point.lat * 1e7)
        }
    }

    func cluster(_ extent: CellCover.Extent) -> ListingCluster? {
        let number = Double(count.count)
        guard count.count > 0,
            let centre = Coordinate(lon: Double(lon) / number / 1e7, lat: Double(lat) / number / 1e7),
            let southWest = Coordinate(lon: extent.west, lat: extent.south),
            let northEast = Coordinate(lon: extent.east, lat: extent.north),
            let box = BoundingBox(southWest: southWest, northEast: northEast)
        else { return nil }
        return ListingCluster(count: count, centre: centre, extent: box)
    }
}
