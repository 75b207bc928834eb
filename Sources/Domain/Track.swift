import Foundation

/// A point of a track.
package struct TrackPoint: Equatable, Sendable {
    package let coordinate: Coordinate
    /// Milliseconds since 1970 in UTC; nil if it is not known.
    package let time: Int64?

    package init(_ coordinate: Coordinate, at time: Int64?) {
        self.coordinate = coordinate
        self.time = time
    }
}

/// Where a collar or a search party was, as one reader sees it.
package struct Track: Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The animal wears the device.
        case collar
        /// People who look for the animal carry it.
        case searchParty = "search_party"
    }

    /// The readers of the track besides the owner of the listing, who always sees its points.
    package enum Visibility: String, CaseIterable, Sendable {
        case owner
        /// Everybody sees the cells that the track goes through.
        case everyone
    }

    /// The numbers of the tracks of a listing.
    package static let numbers = 1...20
    package static let maxPoints = 10_000
    /// The maximum number of points that a device sends at once.
    package static let maxPointsAtOnce = 500
    package static let maxNameLength = 100
    package static let maxDeviceLength = 64

    package let number: Int
    package let kind: Kind
    package let name: String?
    /// The owner's name for the device that sends the points; nil for a track from a file.
    package let device: String?
    package let visibility: Visibility
    package let openedAt: Timestamp
    /// Nil while the device may send points.
    package let closedAt: Timestamp?
    /// Changes with every change of the track.
    package let version: Int
    /// Each has at least one point. Points are in the order of their times, or of the file if it has none.
    package let segments: [[TrackPoint]]
    /// Whether the points are as they were received.
    package let isExact: Bool

    package init(
        number: Int,
        kind: Kind,
        name: String?,
        device: String?,
        visibility: Visibility,
        openedAt: Timestamp,
        closedAt: Timestamp?,
        version: Int,
        segments: [[TrackPoint]],
        isExact: Bool
    ) {
        (self.number, self.kind, self.name, self.device) = (number, kind, name, device)
        (self.visibility, self.openedAt, self.closedAt) = (visibility, openedAt, closedAt)
        (self.version, self.segments, self.isExact) = (version, segments, isExact)
    }

    package var pointCount: Int { segments.reduce(0) { $0 + $1.count } }

    /// The track as everybody may see it: the centres of the cells in the order of the first visits, each once, and the
    /// hours of these visits. A line that crossed the border of two cells again and again would tell where it is.
    package var inCells: Track {
        var seen: Set<Coordinate> = []
        let cells = segments.map { segment in
            segment.compactMap { point -> TrackPoint? in
                let cell = point.coordinate.cellCentre
                guard seen.insert(cell).inserted else { return nil }
                return TrackPoint(cell, at: point.time.map { $0 - ($0 % Self.hour + Self.hour) % Self.hour })
            }
        }
        return Track(
            number: number,
            kind: kind,
            name: name,
            device: nil,
            visibility: visibility,
            openedAt: Timestamp(milliseconds: openedAt.milliseconds / Self.hour * Self.hour),
            closedAt: closedAt.map { Timestamp(milliseconds: $0.milliseconds / Self.hour * Self.hour) },
            version: version,
            segments: cells.filter { !$0.isEmpty },
            isExact: false
        )
    }

    /// In milliseconds.
    private static let hour: Int64 = 3_600_000
}

/// A track that was read from a file and is ready to be stored.
package struct TrackFile: Sendable {
    /// The distances in metres below which points are left out, the smallest one that suffices.
    private static let spacings = [0.0, 2, 5, 10, 20]

    package let segments: [[TrackPoint]]
    /// The number of points that were left out because their position or their time cannot be.
    package let leftOut: Int

    /// Sorts the points of each segment by time, and leaves out points close to the one before where there are more than
    /// `Track.maxPoints`. A point without a time stays behind the one that it follows. Points in the future are left out.
    ///
    /// - Parameter leftOut: the number of points that the reader of the file left out.
    package init(_ segments: [[TrackPoint]], leftOut: Int = 0) throws(ServiceError) {
        let latest = Timestamp.now.adding(seconds: 3600).milliseconds
        let past = segments.map { $0.filter { $0.time ?? 0 <= latest } }
        let sorted = past.map(Self.sorted).filter { !$0.isEmpty }
        guard !sorted.isEmpty else { throw .invalid("body", "expected times that are past") }
        self.leftOut = leftOut + segments.joined().count - past.joined().count
        for spacing in Self.spacings {
            let thinned = sorted.map { Self.thinned($0, metres: spacing) }
            if thinned.reduce(0, { $0 + $1.count }) <= Track.maxPoints {
                self.segments = thinned
                return
            }
        }
        throw ServiceError(
            .tooLarge,
            "body: expected a track that needs at most \(Track.maxPoints) points, 20 m from each other"
        )
    }

    /// Times of a segment are distinct or missing: devices repeat points.
    private static func sorted(_ segment: [TrackPoint]) -> [TrackPoint] {
        var seen: Set<Int64> = []
        // Points without a time have that of the last one with a time. The first ones precede all others.
        var time = Int64.min
        let points = segment.filter { $0.time.map { seen.insert($0).inserted } ?? true }.enumerated().map {
            time = $1.time ?? time
            return (time: time, index: $0, point: $1)
        }
        return points.sorted { ($0.time, $0.index) < ($1.time, $1.index) }.map(\.point)
    }

    private static func thinned(_ segment: [TrackPoint], metres: Double) -> [TrackPoint] {
        guard metres > 0, var last = segment.first else { return segment }
        return segment.prefix(1)
            + segment.indices.dropFirst().compactMap { index in
                let point = segment[index]
                let isEnd = index == segment.count - 1
                guard isEnd || point.coordinate.roughDistance(to: last.coordinate) >= metres else { return nil }
                last = point
                return point
            }
    }
}

extension Coordinate {
    /// In metres, on a sphere, for points that are near each other.
    fileprivate func roughDistance(to other: Coordinate) -> Double {
        let degree = 111_195.0
        let east = (lon - other.lon) * cos((lat + other.lat) / 2 * .pi / 180)
        return hypot(east, lat - other.lat) * degree
    }
}
