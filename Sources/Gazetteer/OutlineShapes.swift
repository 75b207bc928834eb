package import Domain

extension Gazetteer {
    /// The bundled outlines that reach into a box, as polygons of rings of [lon, lat] in degrees: a base map where there is no
    /// other.
    ///
    /// - Parameter tolerance: degrees; what is finer is left out. Outside the box it is left out anyway.
    package func outlines(in box: BoundingBox, tolerance: Double) -> [[[Coordinate]]] {
        outlines.polygons(in: box, tolerance: tolerance)
    }
}

extension Outlines {
    private static let quanta = 10_000.0

    func polygons(
        in box: BoundingBox,
        tolerance: Double
    ) -> [[[Coordinate]]] {
        let view = View(box, scale: Self.quanta)
        let least = tolerance * Self.quanta
        return (0..<parts.count).compactMap { part in
            guard view.meets(parts, part) else { return nil }
            let rings = rings(ofPart: part, view, least)
            return rings.isEmpty ? nil : rings
        }
    }

    /// A ring is cut into chunks, each of which begins where the one before ends.
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
        // Three corners and the first again.
        return rings.filter { $0.count > 3 }.map { $0.thinned(least).compactMap(\.coordinate) }
    }

    /// The first and the last vertex of a chunk, and of those between the ones that show.
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

    /// The box in quanta of the file.
    private struct View {
        let west: Double
        let south: Double
        let east: Double
        let north: Double

        init(_ box: BoundingBox, scale: Double) {
            // One across the antimeridian is all around.
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
    /// Without what is too near to the vertex before it; chunks end often.
    fileprivate func thinned(_ least: Double) -> [Outlines.Vertex] {
        guard let first, let last else { return self }
        var kept = [first]
        for vertex in dropFirst().dropLast() where vertex.isFurther(than: least, from: kept[kept.count - 1]) {
            kept.append(vertex)
        }
        // Of the smallest a rough shape is left: among other land a gap would look like a lake.
        guard kept.count > 3 else { return [first, self[count / 4], self[count / 2], self[3 * count / 4], last] }
        return kept + [last]
    }
}
