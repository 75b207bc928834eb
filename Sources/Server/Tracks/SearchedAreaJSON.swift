import Formats
import SearchAreas

extension JSONWriter {
    /// Writes a GeoJSON feature with a MultiPolygon.
    mutating func searchedArea(_ area: SearchedArea, isExact: Bool) {
        object { json in
            json.field("type", "Feature")
            json.object("geometry") { json in
                json.field("type", "MultiPolygon")
                json.array("coordinates", area.polygons) { json, rings in
                    json.array(rings) { json, ring in
                        json.array(ring) { json, corner in
                            // Six decimals are 0.1 m.
                            json.array([corner.lon, corner.lat]) { $0.number($1, decimals: 6) }
                        }
                    }
                }
            }
            json.object("properties") { json in
                json.field("exact", isExact)
                json.field("reach_m", isExact ? Int(SearchedArea.reachMetres) : nil)
                json.array("shares", area.shares) { json, share in
                    json.object { json in
                        json.field("probability", share.probability)
                        json.field("searched", share.share, decimals: 3)
                    }
                }
            }
        }
    }
}
