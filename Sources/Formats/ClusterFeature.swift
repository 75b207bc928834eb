package import Storage

extension JSONWriter {
    /// A GeoJSON Feature: the mean of where its listings stand, and how many they are, exactly or at least.
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
