package import Domain
package import Foundation

extension JSONWriter {
    /// Writes a track as a GeoJSON feature. The geometry is null without points, and a single point is a line to itself.
    ///
    /// - Parameters:
    ///   - listing: the id of its listing.
    ///   - leftOut: the number of points of an uploaded file that were left out; nil if this is no answer to an upload.
    package mutating func track(_ track: Track, of listing: UUID, leftOut: Int? = nil) {
        let isMulti = track.segments.count > 1
        object { json in
            json.field("type", "Feature")
            json.field("id", "\(listing.lowercased)/\(track.number)")
            json.embed("geometry") { json in
                guard !track.segments.isEmpty else { return json.null() }
                json.object { json in
                    json.field("type", isMulti ? "MultiLineString" : "LineString")
                    json.embed("coordinates") { json in
                        json.lines(track.segments, isMulti: isMulti) { json, point in
                            json.array([point.coordinate.lon, point.coordinate.lat]) { $0.number($1, decimals: 7) }
                        }
                    }
                }
            }
            json.object("properties") { json in
                json.properties(of: track, isMulti: isMulti)
                if let leftOut { json.field("left_out", leftOut) }
            }
        }
    }

    private mutating func properties(of track: Track, isMulti: Bool) {
        field("number", track.number)
        field("kind", track.kind.rawValue)
        field("name", track.name)
        field("device", track.device)
        field("visibility", track.visibility.rawValue)
        field("open", track.closedAt == nil)
        field("opened_at", track.openedAt.text)
        field("closed_at", track.closedAt?.text)
        field("points", track.pointCount)
        field("exact", track.isExact)
        embed("coordTimes") { json in
            json.lines(track.segments, isMulti: isMulti) { json, point in
                if let time = point.time { json.string(Timestamp(milliseconds: time).text) } else { json.null() }
            }
        }
    }

    private mutating func lines(
        _ segments: [[TrackPoint]],
        isMulti: Bool,
        _ write: (inout JSONWriter, TrackPoint) -> Void
    ) {
        let lines = segments.map { $0.count == 1 ? $0 + $0 : $0 }
        if isMulti {
            array(lines) { json, line in json.array(line, write) }
        } else {
            array(lines.first ?? [], write)
        }
    }
}
