import Domain

extension ConditionBuilder {
    func spatial(_ name: Operator, _ arguments: [Expression]) throws(ServiceError) -> Fragment {
        let (left, right) = (try sides(name, arguments[0]), try sides(name, arguments[1]))
        // The number of predicates is the product of the numbers of parts, so that two collections are rejected.
        guard left.count == 1 || right.count == 1 else {
            throw .invalid("filter", "expected a property beside a collection in \(name.rawValue.uppercased())")
        }
        return combined(name, left.flatMap { a in right.map { b in (a, b) } }, isLeft: left.count > 1)
    }

    /// Combines the answers for the parts of a collection. The other side is a single geometry.
    ///
    /// - Parameter isLeft: whether the collection is the left side.
    private func combined(_ name: Operator, _ pairs: [(Fragment, Fragment)], isLeft: Bool) -> Fragment {
        func any(_ name: Operator) -> Fragment { .joined(pairs.map { dialect.spatial(name, $0, $1) }, "OR") }
        func all(_ name: Operator) -> Fragment { .joined(pairs.map { dialect.spatial(name, $0, $1) }, "AND") }
        guard pairs.count > 1 else { return any(name) }
        switch name {
        case .disjoint, .equals: return all(name)
        case .within: return isLeft ? all(name) : any(name)
        case .contains: return isLeft ? any(name) : all(name)
        case .touches:
            // No part may share interior points with the other geometry.
            let apart = pairs.map { a, b in
                Fragment.joined([dialect.spatial(.touches, a, b), dialect.spatial(.disjoint, a, b)], "OR")
            }
            return .joined([any(name), .joined(apart, "AND")], "AND")
        default: return any(name)
        }
    }

    /// Returns a property, or the parts of a literal; a collection may have several.
    private func sides(_ name: Operator, _ expression: Expression) throws(ServiceError) -> [Fragment] {
        switch expression {
        case .property(let property):
            let property = try queryable(property)
            guard property.type == .geometry else { break }
            return ["\(sql: property.sql)"]
        case .geometry(let shape):
            return shape.parts.map(dialect.geometry)
        default: break
        }
        throw Self.expected("a geometry in \(name.rawValue.uppercased())", found: expression)
    }
}

extension Expression {
    /// A box that the geometry of every accepted row intersects, derived from the conditions that must all hold; nil if
    /// there is none.
    var box: BoundingBox? {
        switch self {
        case .operation(.and, let arguments):
            return arguments.compactMap(\.box).reduce(nil) { $0?.narrowed(by: $1) ?? $1 }
        case .operation(let name, let arguments) where name.isSpatial && name != .disjoint:
            let hasProperty = arguments.contains { if case .property = $0 { true } else { false } }
            guard hasProperty else { return nil }
            return arguments.lazy.compactMap { if case .geometry(let shape) = $0 { shape.box } else { nil } }.first
        default: return nil
        }
    }
}

extension Shape {
    fileprivate var box: BoundingBox? {
        if case .box(let box) = self { return box }
        let (lons, lats) = (corners.map(\.lon), corners.map(\.lat))
        guard let west = lons.min(), let south = lats.min(), let east = lons.max(), let north = lats.max(),
            let southWest = Coordinate(lon: west, lat: south), let northEast = Coordinate(lon: east, lat: north)
        else { return nil }
        return BoundingBox(southWest: southWest, northEast: northEast)
    }
}

extension BoundingBox {
    private var crossesAntimeridian: Bool { southWest.lon > northEast.lon }

    /// Returns the intersection of both boxes, or one of them if the intersection is not a box.
    fileprivate func narrowed(by other: BoundingBox) -> BoundingBox {
        if crossesAntimeridian { return other }
        if other.crossesAntimeridian { return self }
        let west = max(southWest.lon, other.southWest.lon)
        let east = min(northEast.lon, other.northEast.lon)
        guard west <= east, let low = Coordinate(lon: west, lat: max(southWest.lat, other.southWest.lat)),
            let high = Coordinate(lon: east, lat: min(northEast.lat, other.northEast.lat))
        else { return self }
        return BoundingBox(southWest: low, northEast: high) ?? self
    }
}
