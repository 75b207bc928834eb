import Domain

/// Extracts the points of interest from elements that refer to each other.
///
/// Ways and relations come last in a file but determine which nodes are needed. They are read first, so that only the
/// needed nodes are kept in memory.
final class ElementExtraction {
    private let source: any ElementSource
    private let meter: ProgressMeter
    private let geometry = Geometry()
    private var ways: [Int64: Way] = [:]
    private var relations: [Int64: Relation] = [:]
    private var memberWays: [Int64: [Int64]] = [:]
    private var neededNodes: Set<Int64> = []
    private var coordinates: [Int64: Coordinate] = [:]
    private var collection = PointCollection()

    init(source: any ElementSource, meter: ProgressMeter) {
        self.source = source
        self.meter = meter
    }

    func extract() throws -> Extract {
        try readWaysAndRelations()
        try readMemberWays()
        try readNodes()
        for way in ways.values { place(way) }
        for relation in relations.values { place(relation) }
        try meter.finish(found: collection.count)
        return collection.extract
    }

    private func readWaysAndRelations() throws {
        try source.visit([.ways, .relations]) { element in
            switch element {
            case .way(let way):
                try meter.count(\.ways, found: ways.count + relations.count)
                ways[way.id] = PointOfInterest.Category(way.tags) == nil ? nil : way
            case .relation(let relation):
                try meter.count(\.relations, found: ways.count + relations.count)
                relations[relation.id] = PointOfInterest.Category(relation.tags) == nil ? nil : relation
            case .malformed: collection.skipped.malformed += 1
            case .node: break
            }
        }
    }

    private func readMemberWays() throws {
        let needed = Set(relations.values.flatMap(\.boundary).filter { $0.line == nil }.map(\.id))
        guard !needed.isEmpty else { return }
        try source.visit(.ways) { element in
            guard case .way(let way) = element, needed.contains(way.id) else { return }
            memberWays[way.id] = way.nodes
        }
    }

    private func readNodes() throws {
        neededNodes = Set(ways.values.filter { $0.line == nil }.flatMap(\.nodes)).union(memberWays.values.joined())
        try source.visit(.nodes) { element in
            switch element {
            case .node(let node):
                try meter.count(\.nodes, found: ways.count + relations.count + collection.count)
                read(node)
            case .malformed: collection.skipped.malformed += 1
            case .way, .relation: break
            }
        }
    }

    private func read(_ node: Node) {
        if !neededNodes.isEmpty, neededNodes.contains(node.id) { coordinates[node.id] = node.coordinate }
        let element = PointOfInterest.Element(type: .node, id: node.id)
        if node.tags.isEmpty || PointOfInterest.Category(node.tags) == nil {
            collection.remove(element)
        } else if let coordinate = node.coordinate {
            collection.add(PointOfInterest(node.tags, at: coordinate, element: element))
        } else {
            collection.remove(element)
            collection.skipped.outOfRange += 1
        }
    }

    private func place(_ way: Way) {
        let element = PointOfInterest.Element(type: .way, id: way.id)
        if let line = way.line ?? line(along: way.nodes) {
            add(way.tags, at: geometry.point(of: line), element: element)
        } else if let center = way.center {
            add(way.tags, at: center, element: element)
        } else {
            collection.skipped.incomplete += 1
        }
    }

    private func place(_ relation: Relation) {
        let element = PointOfInterest.Element(type: .relation, id: relation.id)
        let boundary = relation.boundary
        let lines = boundary.compactMap { $0.line ?? memberWays[$0.id].flatMap(line(along:)) }
        if !lines.isEmpty, lines.count == boundary.count {
            add(relation.tags, at: geometry.pointOnSurface(boundary: lines) ?? relation.center, element: element)
        } else if let center = relation.center {
            add(relation.tags, at: center, element: element)
        } else if boundary.isEmpty {
            collection.skipped.withoutGeometry += 1
        } else {
            collection.skipped.incomplete += 1
        }
    }

    private func add(_ tags: Tags, at coordinate: Coordinate?, element: PointOfInterest.Element) {
        if let coordinate {
            collection.add(PointOfInterest(tags, at: coordinate, element: element))
        } else {
            collection.skipped.withoutGeometry += 1
        }
    }

    /// Returns the coordinates of the nodes, or nil if a node is missing.
    private func line(along nodes: [Int64]) -> [Coordinate]? {
        let line = nodes.compactMap { coordinates[$0] }
        return line.isEmpty || line.count < nodes.count ? nil : line
    }
}
