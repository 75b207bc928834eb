import Domain
import Foundation
import Matching
import SQL
import SpatiaLite

extension MatchCandidate {
    fileprivate func carrying(_ microchip: Microchip) -> MatchCandidate {
        MatchCandidate(key: key, distance: distance, subject: subject.carrying(microchip))
    }
}

/// Reads the candidates of a listing: those of one side and the same species, near in place and time.
struct CandidateSearch {
    /// The listing whose candidates are read.
    private(set) var subject: MatchSubject
    let isLost: Bool
    /// Which listings are compared with it.
    let compared: MatchSide
    /// Whether only photos and a place are known.
    let isPhoto: Bool
    private let side: Int64
    /// The `Listing.key` of the listing, which is no candidate; nil if it is not stored.
    private let key: Int64?
    /// The days of candidates.
    private let days: ClosedRange<Int64>
    private let point: Coordinate
    private let blur: Int64
    private let reader: MatchReader

    /// The candidates of a find were lost at most so many days before, or after it, because people mistake the day.
    private static let daysBefore: Int64 = 84
    private static let daysAfter: Int64 = 7
    /// The candidates of the same side were seen at most so many days before or after it.
    private static let daysOfSameSide: Int64 = 30
    /// In metres. The second radius is used if there are fewer than `few` candidates in the first.
    private static let radii = [25_000.0, maxRadius]
    static let maxRadius = 75_000.0
    private static let few = 50
    /// The root mean square distance of a point from the centre of its cell of 500 m (500 / sqrt(6)), and a guess of
    /// that from the centre of its town, in metres.
    private static let uncertainties = [0.0, 204, 1_500]

    /// The greatest number of candidates whose texts one request reads because they are not read yet.
    private static let maxUnread = 1_000

    /// Columns per degree, and in all.
    private static let scale = 20.0
    private static let columns = 7_200
    private static let metresPerDegree = 111_195.0

    /// Returns nil if the listing is not open or is hidden.
    init?(for listing: Listing, _ compared: MatchSide = .other, _ reader: MatchReader, _ db: SQLConnection) throws {
        let found = try db.row(
            "SELECT side, day, lon, lat, blur FROM listing_match WHERE listing_id = ?",
            [listing.key]
        ) { row in
            (side: row.integer(0), day: row.integer(1), lon: row.real(2), lat: row.real(3), blur: row.integer(4))
        }
        guard let found, let point = Coordinate(lon: found.lon, lat: found.lat) else { return nil }
        (side, blur, isPhoto) = (found.side, found.blur, false)
        (self.point, self.reader, self.compared, key) = (point, reader, compared, listing.key)
        isLost = side % 2 == 0
        days =
            compared == .same
            ? found.day - Self.daysOfSameSide...found.day + Self.daysOfSameSide
            : Self.days(around: found.day, isLost: isLost)
        let vectors = try MatchStore.vectors(of: listing.key, db)
        subject = reader.subject(MatchDescription(listing, day: Int(found.day), vectors: vectors))
    }

    /// Searches the lost listings for one of a found animal that need not be open any more, as when it was open.
    ///
    /// - Parameter vectors: those of photos that are not stored yet.
    init(forFound listing: Listing, vectors: [[Int8]] = [], _ reader: MatchReader, _ db: SQLConnection) throws {
        (point, blur, self.reader) = (listing.location.coordinate, listing.location.blur, reader)
        (side, isLost, isPhoto) = (listing.content.species.side + 1, false, false)
        (compared, key) = (.other, nil)
        days = Self.days(around: Int64(listing.seenDay), isLost: false)
        let all = try vectors + MatchStore.vectors(of: listing.key, db)
        subject = reader.subject(MatchDescription(listing, day: listing.seenDay, vectors: all))
    }

    /// Searches for an animal of which only photos and a place are known.
    init(for photo: MatchSubject, _ reader: MatchReader) {
        (subject, self.reader) = (photo, reader)
        (point, blur) = (photo.coordinate, 0)
        (isLost, isPhoto) = (photo.isLost, true)
        (compared, key) = (.other, nil)
        side = photo.species.side + (isLost ? 0 : 1)
        days = Int64(Int32.min)...Int64(Int32.max)
    }

    private static func days(around day: Int64, isLost: Bool) -> ClosedRange<Int64> {
        isLost ? day - daysAfter...day + daysBefore : day - daysBefore...day + daysAfter
    }

    /// Returns a listing of the compared side as a candidate, wherever it is and whatever its status is now.
    func candidate(_ other: Listing, _ db: SQLConnection) throws -> MatchCandidate {
        let vectors = try MatchStore.vectors(of: other.key, db)
        var description = MatchDescription(other, day: other.seenDay, vectors: vectors)
        description.isLost = isLost == (compared == .same)
        return MatchCandidate(
            key: other.key,
            distance: lengthened(point.distance(to: other.location.coordinate), other.location.blur),
            subject: reader.subject(description)
        )
    }

    /// Adds the microchip to the listing and to the candidates that have the same one, and adds those that are far away.
    mutating func join(
        _ candidates: inout MatchCandidates,
        withMicrochipOf listing: Listing,
        _ db: SQLConnection
    ) throws {
        guard let microchip = listing.content[.microchip].flatMap({ try? Microchip(parsing: $0) }) else { return }
        subject = subject.carrying(microchip)
        for other in try MicrochipStore.openListings(with: microchip, db)
        where other.key != key && other.content.species == listing.content.species
            && (other.content.status == .lost) == (isLost == (compared == .same))
        {
            let candidate = try candidates.remove(other.key) ?? self.candidate(other, db)
            candidates.append(candidate.carrying(microchip))
        }
    }

    func run(_ db: SQLConnection) throws -> MatchCandidates {
        var found = MatchCandidates()
        for radius in Self.radii {
            found = try candidates(within: radius, db)
            if found.count >= Self.few { break }
        }
        return found
    }

    /// - Parameter radius: in metres.
    func candidates(within radius: Double, _ db: SQLConnection) throws -> MatchCandidates {
        var found = MatchCandidates()
        var unread: [Unread] = []
        for cells in Self.cells(around: point, radius) {
            try db.forEachRow(
                """
                SELECT listing_id, lon, lat, blur, day, subject FROM match_candidate
                WHERE side = ? AND cell BETWEEN ? AND ? AND day BETWEEN ? AND ?
                """,
                [
                    compared == .same ? side : side ^ 1, cells.lowerBound, cells.upperBound, days.lowerBound,
                    days.upperBound,
                ]
            ) { row in
                let distance = Self.distance(point, lon: row.real(1), lat: row.real(2))
                let (key, length) = (row.integer(0), lengthened(distance, row.integer(3)))
                guard distance <= radius, key != self.key else { return }
                let tables = reader.fingerprint
                if !found.append(key: key, distance: length, encoded: row.blob(5), tables: tables) {
                    unread.append(Unread(key: key, distance: length, day: Int(row.integer(4))))
                }
            }
        }
        for nearby in unread.prefix(Self.maxUnread) {
            if let candidate = try read(nearby, db) { found.append(candidate) }
        }
        return found
    }

    /// A candidate whose texts are not read yet.
    private struct Unread {
        let key: Int64
        let distance: Double
        let day: Int
    }

    private func read(_ nearby: Unread, _ db: SQLConnection) throws -> MatchCandidate? {
        try MatchStore.subject(of: nearby.key, day: nearby.day, reader, db).map { subject in
            MatchCandidate(key: nearby.key, distance: nearby.distance, subject: subject)
        }
    }

    /// Returns the distance with the uncertainties of both points: the squares of independent offsets add up.
    private func lengthened(_ distance: Double, _ otherBlur: Int64) -> Double {
        let (own, other) = (uncertainty(blur), uncertainty(otherBlur))
        return (distance * distance + own * own + other * other).squareRoot()
    }

    /// Returns the uncertainty of the public point of a listing that names more than a town, in metres.
    static func uncertainty(of listing: Listing) -> Double { uncertainties[listing.location.exact == nil ? 0 : 1] }

    private func uncertainty(_ blur: Int64) -> Double {
        Self.uncertainties.indices.contains(Int(blur)) ? Self.uncertainties[Int(blur)] : 0
    }

    /// Returns the distance in metres on the sphere, in the plane of the mean latitude. It is within 0.1 % at these
    /// radii, except near the poles.
    private static func distance(_ from: Coordinate, lon: Double, lat: Double) -> Double {
        var east = abs(lon - from.lon)
        if east > 180 { east = 360 - east }
        east *= cos((lat + from.lat) / 2 * .pi / 180)
        let north = lat - from.lat
        return (east * east + north * north).squareRoot() * metresPerDegree
    }

    /// Returns the ranges of cells that cover a circle: one or, across the antimeridian, two of each row.
    private static func cells(around point: Coordinate, _ radius: Double) -> [ClosedRange<Int64>] {
        let north = radius / metresPerDegree
        let (south, top) = (max(-90, point.lat - north), min(90, point.lat + north))
        let narrowest = cos(max(abs(south), abs(top)) * .pi / 180)
        let east = narrowest * 180 > north ? north / narrowest : 180
        let rows = row(south)...row(top)
        return rows.flatMap { row in
            columns(from: point.lon - east, to: point.lon + east).map { columns in
                Int64(row * Self.columns + columns.lowerBound)...Int64(row * Self.columns + columns.upperBound)
            }
        }
    }

    private static func row(_ lat: Double) -> Int { min(3_599, Int((lat + 90) * scale)) }

    private static func columns(from west: Double, to east: Double) -> [ClosedRange<Int>] {
        func column(_ lon: Double) -> Int { max(0, min(columns - 1, Int((lon + 180) * scale))) }
        if east - west >= 360 { return [0...columns - 1] }
        if west < -180 { return [0...column(east), column(west + 360)...columns - 1] }
        if east > 180 { return [0...column(east - 360), column(west)...columns - 1] }
        return [column(west)...column(east)]
    }
}
