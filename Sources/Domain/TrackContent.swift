/// The fields of a track that its owner writes.
package struct TrackContent: Equatable, Sendable {
    package let kind: Track.Kind
    package let name: String?
    package let visibility: Track.Visibility

    package static let fieldNames = ["kind", "name", "visibility"]

    package init(kind: Track.Kind, name: String?, visibility: Track.Visibility) {
        (self.kind, self.name, self.visibility) = (kind, name, visibility)
    }

    /// Parses input fields; others are ignored. Without `visibility`, only the owner sees the track.
    package init(_ fields: [String: JSONValue]) throws(ServiceError) {
        guard let kind = try Field("kind", fields["kind"] ?? .null).choice(Track.Kind.self) else {
            let kinds = Track.Kind.allCases.map(\.rawValue).joined(separator: ", ")
            throw .invalid("kind", "expected one of \(kinds)")
        }
        self.kind = kind
        name = try Field("name", fields["name"] ?? .null).text(atMost: Track.maxNameLength)
        visibility = try Field("visibility", fields["visibility"] ?? .null).choice(Track.Visibility.self) ?? .owner
    }

    /// The same with the name of a file, unless the owner gave one.
    package func named(_ other: String?) -> TrackContent {
        let known = other.flatMap { try? Field("name", .string($0)).text(atMost: Track.maxNameLength) }
        return TrackContent(kind: kind, name: name ?? known, visibility: visibility)
    }
}

/// A change of a track. Values that are nil stay as they are.
package struct TrackChange: Equatable, Sendable {
    package let name: String?
    package let visibility: Track.Visibility?
    /// Whether the track is closed, if it is open.
    package let isClosed: Bool

    package init(name: String? = nil, visibility: Track.Visibility? = nil, isClosed: Bool = false) {
        (self.name, self.visibility, self.isClosed) = (name, visibility, isClosed)
    }

    /// Parses a merge patch.
    package init(_ fields: [String: JSONValue]) throws(ServiceError) {
        name = try Field("name", fields["name"] ?? .null).text(atMost: Track.maxNameLength)
        visibility = try Field("visibility", fields["visibility"] ?? .null).choice(Track.Visibility.self)
        switch fields["closed"] {
        case nil: isClosed = false
        case .bool(true): isClosed = true
        default: throw .invalid("closed", "expected true: a closed track stays closed")
        }
    }
}

extension [TrackPoint] {
    /// Parses the points that a device sends: a list of objects with `time`, `lon` and `lat`.
    package init(_ value: JSONValue) throws(ServiceError) {
        guard case .array(let items) = value, (1...Track.maxPointsAtOnce).contains(items.count) else {
            throw .invalid("points", "expected a list of 1 to \(Track.maxPointsAtOnce) points")
        }
        self = []
        for (index, item) in items.enumerated() {
            guard case .object(let fields) = item, fields.keys.sorted() == ["lat", "lon", "time"] else {
                throw .invalid("points", "point \(index + 1): expected an object with time, lon and lat")
            }
            guard let lon = try Field("lon", fields["lon"] ?? .null).degrees(within: 180),
                let lat = try Field("lat", fields["lat"] ?? .null).degrees(within: 90),
                let time = try Field("time", fields["time"] ?? .null).pastTimestamp(),
                let point = Coordinate(lon: lon, lat: lat)
            else { throw .invalid("points", "point \(index + 1): expected a time, lon and lat") }
            append(TrackPoint(point, at: time.milliseconds))
        }
    }
}

extension Track {
    /// The tag of a version, for preconditions. A later track with the same number has others.
    package static func tag(openedAt: Timestamp, version: Int) -> String {
        "\(openedAt.milliseconds)-\(version)"
    }
}
