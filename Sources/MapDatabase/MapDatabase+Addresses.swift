package import Domain
import Foundation
import SQL
import SpatiaLite

extension MapDatabase {
    /// The streets that are compared, and the ones whose numbers are read.
    private static let (maxCandidates, maxStreets) = (2_000, 100)

    /// Returns the streets, houses and landmarks with the words of a text, the best first. All words must be found, in the name
    /// or in what is around; a few that no place has are left out, and one wrong letter in them is forgiven.
    ///
    /// - Parameters:
    ///   - isTolerant: whether wrong letters are forgiven in words that other places have, too.
    ///   - near: of two places that fit equally, the one nearer to this point is first.
    func addresses(called text: String, isTolerant: Bool, near: Coordinate?, limit: Int) throws -> [AddressMatch] {
        let query = AddressQuery(text)
        return try read { db in
            var found: [Candidate] = []
            for reading in query.readings {
                found += try candidates(reading, isTolerant: isTolerant, near: near, db)
                // An exact number leaves no doubt how the text is meant.
                if found.contains(where: { $0.match.address.precision == .house }) { break }
            }
            var seen: Set<Int64> = []
            return found.sorted { $0.match.order < $1.match.order }.filter { seen.insert($0.place).inserted }
                .prefix(limit).map(\.match)
        }
    }

    private struct Candidate {
        let place: Int64
        var match: AddressMatch
    }

    private func candidates(
        _ reading: AddressQuery.Reading,
        isTolerant: Bool,
        near: Coordinate?,
        _ db: SQLConnection
    ) throws -> [Candidate] {
        guard let (pattern, left) = try AddressWords(db).pattern(reading.words, isTolerant: isTolerant) else {
            return []
        }
        let words = Set(reading.words)
        var found = try db.rows(
            """
            SELECT p.id, p.osm_key, p.osm_value, p.name, p.postal_code, t.name, p.geometry
            FROM place_text x JOIN place p ON p.id = x.rowid LEFT JOIN town t ON t.id = p.town
            WHERE place_text MATCH ? LIMIT ?
            """,
            [pattern, Self.maxCandidates]
        ) { row -> Candidate? in
            guard let position = CompressedBlob.point(row.blob(6)) else { return nil }
            let key: String = try row[1]
            let address = StreetAddress(
                tagKey: key,
                tagValue: try row[2],
                name: try row[3],
                postalCode: try row[4],
                precision: key == "highway" ? .street : .landmark
            )
            let missing = left + address.name.addressWords.count { !words.contains($0) }
            let distance = near.map { $0.distance(to: position) } ?? 0
            let town: String? = try row[5]
            return Candidate(
                place: row.integer(0),
                match: AddressMatch(
                    address: address,
                    town: town,
                    position: position,
                    missingWords: missing,
                    unknownWords: left,
                    distance: distance
                )
            )
        }.compactMap(\.self).sorted { $0.match.order < $1.match.order }
        for index in found.indices.prefix(Self.maxStreets) {
            if let number = reading.number {
                try find(number, &found[index], db)
            } else {
                try findHouse(named: words, &found[index], db)
            }
        }
        return found
    }

    /// Sets the house whose name is in the text: "Lia Buildings" stands for a number in some countries.
    private func findHouse(named words: Set<String>, _ candidate: inout Candidate, _ db: SQLConnection) throws {
        guard candidate.match.address.precision == .street else { return }
        try db.forEachRow(
            "SELECT number, postal_code, geometry FROM address WHERE place = ? AND number NOT GLOB '[0-9]*'",
            [candidate.place]
        ) { row in
            let name: String = try row[0]
            guard let position = CompressedBlob.point(row.blob(2)), name.addressWords.allSatisfy(words.contains)
            else { return }
            candidate.match.set(house: name, postalCode: try row[1], at: position, .house)
        }
    }

    /// Sets the house with a number, or the one with the nearest number.
    private func find(_ number: HouseNumberKey, _ candidate: inout Candidate, _ db: SQLConnection) throws {
        var nearest: (difference: Int, number: String, position: Coordinate, postalCode: String?)?
        try db.forEachRow(
            "SELECT number, postal_code, geometry FROM address WHERE place = ?",
            [candidate.place]
        ) { row in
            let other: String = try row[0]
            guard let position = CompressedBlob.point(row.blob(2)),
                let difference = number.difference(from: other), difference < nearest?.difference ?? .max
            else { return }
            nearest = (difference, other, position, try row[1])
        }
        guard let nearest else { return }
        candidate.match.set(
            house: nearest.number,
            postalCode: nearest.postalCode,
            at: nearest.position,
            nearest.difference == 0 ? .house : .nearestHouse
        )
    }

    // MARK: - Reverse

    /// Returns the house nearest to a point, otherwise the nearest street with a name; nil if there is none near.
    package func address(at point: Coordinate, within metres: Double) throws -> AddressMatch? {
        // A degree of latitude has 111 km, one of longitude less.
        let lat = metres / 111_000
        let lon = lat / max(0.05, cos(point.lat * .pi / 180))
        let box = [point.lon - lon, point.lat - lat, point.lon + lon, point.lat + lat]
        // The corners of the box are farther.
        if let house = try house(at: point, in: box), house.distance <= metres { return house }
        let street = try street(at: point, in: box, degree: lon / lat)
        return street.flatMap { $0.distance <= metres ? $0 : nil }
    }

    private func house(at point: Coordinate, in box: [Double]) throws -> AddressMatch? {
        try read { db in
            try db.rows(
                """
                SELECT a.number, coalesce(a.postal_code, p.postal_code), a.geometry, p.osm_key, p.osm_value, p.name,
                    t.name
                FROM address a JOIN place p ON p.id = a.place LEFT JOIN town t ON t.id = p.town
                WHERE a.id IN (
                    SELECT id FROM address_index WHERE west <= ?3 AND east >= ?1 AND south <= ?4 AND north >= ?2
                )
                """,
                box
            ) { row -> AddressMatch? in
                guard let position = CompressedBlob.point(row.blob(2)) else { return nil }
                let address = StreetAddress(
                    tagKey: try row[3],
                    tagValue: try row[4],
                    name: try row[5],
                    houseNumber: try row[0],
                    postalCode: try row[1],
                    precision: .house
                )
                let distance = position.distance(to: point)
                return AddressMatch(address: address, town: try row[6], position: position, distance: distance)
            }.compactMap(\.self).min { $0.distance < $1.distance }
        }
    }

    /// - Parameter degree: the height of a degree of longitude in those of latitude.
    private func street(at point: Coordinate, in box: [Double], degree: Double) throws -> AddressMatch? {
        guard let area = BoundingBox(west: box[0], south: box[1], east: box[2], north: box[3]) else { return nil }
        var nearest: (distance: Double, name: String, position: Coordinate)?
        for shape in try shapes(in: area, zoom: Self.detailed) where shape.kind.isStreet {
            guard let name = shape.name, let line = shape.lines.first else { continue }
            for (start, end) in zip(line, line.dropFirst()) {
                guard let foot = point.foot(onLineFrom: start, to: end, degree: degree) else { continue }
                let distance = foot.distance(to: point)
                if distance < nearest?.distance ?? .infinity { nearest = (distance, name, foot) }
            }
        }
        return nearest.map { distance, name, position in
            let address = StreetAddress(tagKey: "highway", tagValue: "road", name: name, precision: .street)
            return AddressMatch(address: address, town: nil, position: position, distance: distance)
        }
    }

    /// A zoom level at which all streets are drawn.
    private static let detailed = 17
}

extension MapFeature.Kind {
    fileprivate var isStreet: Bool {
        [.path, .track, .service, .street, .tertiary, .secondary, .primary, .trunk].contains(self)
    }
}

extension Coordinate {
    /// Returns the nearest point on a short line.
    fileprivate func foot(onLineFrom start: Coordinate, to end: Coordinate, degree: Double) -> Coordinate? {
        let (east, north) = ((end.lon - start.lon) / degree, end.lat - start.lat)
        let length = east * east + north * north
        let along = length > 0 ? ((lon - start.lon) / degree * east + (lat - start.lat) * north) / length : 0
        let share = min(1, max(0, along))
        return Coordinate(
            lon: start.lon + share * (end.lon - start.lon),
            lat: start.lat + share * (end.lat - start.lat)
        )
    }
}
