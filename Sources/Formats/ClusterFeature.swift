package import Storage

extension JSONWriter {
    /// Writes a GeoJSON Feature with the mean position of a cluster's listings and their number, which is exact or a
    /// lower bound.
    package mutating func feature(_ cluster: ListingCluster) {
        object { json in
            json.field("type", "Feature")
            let (low, high) = (cluster.extent.southWest, cluster.extent.northEast)
            json.array("bbox", [low.lon, low.lat, high.lon, high.lat]) { $0.number($1) }
            json.point(cluster.centre, decimals: 6)
            json.object("properties") { json in
                json.field("count", cluster.count.count)
                json.field("exact", cluster.count.isExact)
            }
        }
    }
}
