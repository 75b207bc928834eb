package import Domain

extension Gazetteer {
    /// Returns the bundled outlines that intersect a box, as polygons of rings of [lon, lat] in degrees, for use as a
    /// base map if there is no other.
    ///
    /// - Parameter tolerance: The size in degrees below which detail is left out. Outside of the box, all detail is
    ///   left out.
    package func outlines(in box: BoundingBox, tolerance: Double) -> [[[Coordinate]]] {
        outlines.polygons(in: box, tolerance: tolerance)
    }
}

extension Outlines {
    private static let quanta = 10_000.0

    func polygons(in box: BoundingBox, tolerance: Double) -> [[[Coordinate]]] {
        let view = View(box, scale: Self.quanta)
        let least = tolerance * Self.quanta
        return (0..<parts.count).compactMap { part in
            guard view.meets(parts, part) else { return nil }
            let rings = rings(ofPart: part, view, least)
            return rings.isEmpty ? nil : rings
        }
    }

    /// A ring is stored as chunks, each of which begins at the end of the previous one.
    private func rings(ofPart part: Int, _ view: View, _ least: Double) -> [[Coordinate]] {
        let first = Int(parts.integer(part, at: 16, as: UInt32.self))
        let count = Int(parts.integer(part, at: 20, as: UInt32.self))
        var rings: [[Vertex]] = []
        for chunk in first..<first + count {
            let vertices = simplified(chunk, isInView: view.meets(chunks, chunk), least)
            if let end = rings.last?.last, end == vertices[0] {
                rings[rings.count - 1] += vertices.dropFirst()
            } else {
                rings.append(vertices)
            }
        }
        // A closed ring has at least three corners and repeats the first one.
        return rings.filter { $0.count > 3 }.map { $0.thinned(least).compactMap(\.coordinate) }
    }

    /// Returns the first and the last vertex of a chunk and, if it is in view, the vertices between them that are far
    /// enough apart.
    private func simplified(_ chunk: Int, isInView: Bool, _ least: Double) -> [Vertex] {
        let first = Int(chunks.integer(chunk, at: 16, as: UInt32.self))
        let count = Int(chunks.integer(chunk, at: 20, as: UInt32.self))
        let west = Double(chunks.integer(chunk, at: 0, as: Int32.self))
        let south = Double(chunks.integer(chunk, at: 4, as: Int32.self))
        let vertex = { (index: Int) in
            Vertex(
                x: west + Double(vertices.integer(index, at: 0, as: UInt16.self)),
                y: south + Double(vertices.integer(index, at: 2, as: UInt16.self))
            )
        }
        var kept = [vertex(first)]
        if isInView, count > 2 {
            for index in first + 1..<first + count - 1 {
                let next = vertex(index)
                if next.isFurther(than: least, from: kept[kept.count - 1]) { kept.append(next) }
            }
        }
        kept.append(vertex(first + count - 1))
        return kept
    }

    fileprivate struct Vertex: Equatable {
        let x: Double
        let y: Double

        func isFurther(than least: Double, from other: Vertex) -> Bool {
            max(abs(x - other.x), abs(y - other.y)) >= least
        }

        var coordinate: Coordinate? { Coordinate(lon: x / Outlines.quanta, lat: y / Outlines.quanta) }
    }

    /// The box in coordinate units of the file.
    private struct View {
        let west: Double
        let south: Double
        let east: Double
        let north: Double

        init(_ box: BoundingBox, scale: Double) {
            // A box across the antimeridian is widened to all longitudes.
            let isWhole = box.southWest.lon > box.northEast.lon
            (west, south) = (isWhole ? -180 * scale : box.southWest.lon * scale, box.southWest.lat * scale)
            (east, north) = (isWhole ? 180 * scale : box.northEast.lon * scale, box.northEast.lat * scale)
        }

        func meets(_ section: Section, _ index: Int) -> Bool {
            Double(section.integer(index, at: 0, as: Int32.self)) <= east
                && Double(section.integer(index, at: 8, as: Int32.self)) >= west
                && Double(section.integer(index, at: 4, as: Int32.self)) <= north
                && Double(section.integer(index, at: 12, as: Int32.self)) >= south
        }
    }
}

extension [Outlines.Vertex] {
    /// Returns the vertices without those that are too near to the previous one, as chunk ends often are.
    fileprivate func thinned(_ least: Double) -> [Outlines.Vertex] {
        guard let first, let last else { return self }
        var kept = [first]
        for vertex in dropFirst().dropLast() where vertex.isFurther(than: least, from: kept[kept.count - 1]) {
            kept.append(vertex)
        }
        // The smallest rings keep a rough shape, because a gap in the land would look like a lake.
        guard kept.count > 3 else { return [first, self[count / 4], self[count / 2], self[3 * count / 4], last] }
        return kept + [last]
    }
}
