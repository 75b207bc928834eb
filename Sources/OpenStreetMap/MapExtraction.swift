import Domain
package import Foundation
package import MapDatabase

/// Reads what a map shows from an extract of OpenStreetMap into a map database.
///
/// The file is read twice, block by block: first its relations, which say of which ways areas consist, then everything
/// in the order of the file, which is nodes, ways and relations. Memory does not grow with the file, apart from a few
/// bytes for each way of such an area.
package final class MapExtraction {
    private let source: any ElementSource
    private let writer: MapDatabaseWriter
    private let meter: ProgressMeter
    private let locations: NodeLocations
    private let geometry = Geometry()
    private var memberWays: Set<Int64> = []
    private var hasWays = false
    private var isPastNodes = false
    private var isPastWays = false

    /// The greatest zoom level of simplified lines.
    private static let overview = 11
    /// In degrees: less than a pixel at that level.
    private static let tolerance = 0.0003
    private static let lastZoom = 19
    static let unsorted = Malformed("is not sorted by type and id; `osmium sort` does it")

    private init(source: any ElementSource, folder: URL, writer: MapDatabaseWriter, meter: ProgressMeter) throws {
        (self.source, self.writer, self.meter) = (source, writer, meter)
        locations = try NodeLocations(in: folder)
    }

    /// - Parameters:
    ///   - file: `.osm.pbf`, or `.osm`, whose elements are sorted by type and id.
    ///   - folder: for a temporary file of 16 bytes for each node.
    ///   - progress: An error that it throws cancels the reading.
    /// - Throws: `OpenStreetMapFileError` if the file is damaged or of another format.
    package static func read(
        _ file: URL,
        temporaryFolder folder: URL,
        into writer: MapDatabaseWriter,
        progress: (ReadingProgress) throws -> Void
    ) throws {
        do {
            try withoutActuallyEscaping(progress) { progress in
                let source: any ElementSource =
                    switch try FileFormat(ofFileAt: file.path) {
                    case .pbf: PBFSource(path: file.path)
                    case .xml: XMLSource(path: file.path)
                    case .json: throw Malformed("expected an extract, .osm.pbf or .osm; `pois import` reads JSON")
                    }
                let meter = ProgressMeter(report: progress)
                try MapExtraction(source: source, folder: folder, writer: writer, meter: meter).extract()
            }
        } catch let error as Malformed {
            throw OpenStreetMapFileError(file: file.path, reason: error.reason)
        }
    }

    private func extract() throws {
        try source.visit(.relations, keys: MapTags.keys) { element in
            guard case .relation(let relation) = element, isArea(relation) else { return }
            memberWays.formUnion(relation.boundary.map(\.id))
        }
        try source.visit([.nodes, .ways, .relations], keys: MapTags.keys) { element in
            switch element {
            case .node(let node):
                try meter.count(\.nodes, found: 0)
                try read(node)
            case .way(let way):
                try meter.count(\.ways, found: 0)
                try endNodes()
                try read(way)
            case .relation(let relation):
                try meter.count(\.relations, found: 0)
                try endNodes()
                try read(relation)
            case .malformed: break
            }
        }
        try meter.finish(found: 0)
        guard hasWays else { throw Malformed("has no ways: expected an extract with streets") }
    }

    private func isArea(_ relation: Relation) -> Bool {
        !relation.boundary.isEmpty && (MapTags.area(relation.tags) != nil || MapTags.isMunicipality(relation.tags))
    }

    private func endNodes() throws {
        if !isPastNodes { try locations.finish() }
        isPastNodes = true
    }

    private func read(_ node: Node) throws {
        guard !isPastNodes else { throw Self.unsorted }
        guard let point = node.coordinate else { return }
        try locations.add(node.id, at: point)
        if !node.tags.isEmpty { try addNames(node.tags, at: point) }
    }

    private func read(_ way: Way) throws {
        guard !isPastWays else { throw Self.unsorted }
        hasWays = true
        guard !way.tags.isEmpty || memberWays.contains(way.id) else { return }
        let line = try way.nodes.compactMap { try locations[$0] }
        guard line.count > 1 else { return }
        if memberWays.contains(way.id) { try writer.keep(line, ofWay: way.id) }
        guard !way.tags.isEmpty else { return }
        let isClosed = line.count > 3 && line.first == line.last
        let area = isClosed && way.tags["area"] != "no" ? MapTags.area(way.tags) : nil
        if let area {
            try add(area, [line])
        } else if let (kind, zoom) = MapTags.line(way.tags) {
            try add(kind, from: zoom, name: MapTags.names(way.tags)?.name, line)
        }
        if way.tags["highway"] != nil { try addStreet(way.tags, line) }
        guard let middle = geometry.point(of: line) else { return }
        try addNames(way.tags, at: middle)
    }

    private func read(_ relation: Relation) throws {
        isPastWays = true
        guard isArea(relation) else { return }
        let lines = try relation.boundary.compactMap { try writer.line(ofWay: $0.id) }
        let polygons = geometry.polygons(boundary: lines)
        let isMunicipality = MapTags.isMunicipality(relation.tags)
        for rings in polygons {
            if isMunicipality, let name = MapTags.names(relation.tags)?.name { try writer.addTown(name, rings) }
            if let kind = MapTags.area(relation.tags) { try add(kind, rings) }
        }
        guard !isMunicipality, let largest = polygons.max(by: { $0[0].count < $1[0].count }),
            let middle = geometry.pointOnSurface(boundary: largest)
        else { return }
        try addNames(relation.tags, at: middle)
    }

    // MARK: - What is written

    private func add(_ kind: MapFeature.Kind, _ rings: [[Coordinate]]) throws {
        guard let box = MapFeature.Geometry.area(rings).box else { return }
        try add(kind, from: MapTags.firstZoom(kind, box), name: nil, rings) { .area($0) }
    }

    private func add(_ kind: MapFeature.Kind, from zoom: Int, name: String?, _ line: [Coordinate]) throws {
        try add(kind, from: zoom, name: name, [line]) { .line($0[0]) }
    }

    /// Adds what is shown from a zoom level on; simplified for the lower levels, where it would have many points in each pixel.
    private func add(
        _ kind: MapFeature.Kind,
        from zoom: Int,
        name: String?,
        _ lines: [[Coordinate]],
        _ geometry: ([[Coordinate]]) -> MapFeature.Geometry
    ) throws {
        var detailed = zoom
        if zoom <= Self.overview {
            let simple = lines.map { self.geometry.simplified($0, tolerance: Self.tolerance) }
            try writer.add(MapFeature(kind, zooms: zoom...Self.overview, name: name, geometry(simple)))
            detailed = Self.overview + 1
        }
        try writer.add(MapFeature(kind, zooms: detailed...Self.lastZoom, name: name, geometry(lines)))
    }

    private func addStreet(_ tags: Tags, _ line: [Coordinate]) throws {
        guard let (name, others) = MapTags.names(tags), let value = tags["highway"],
            let middle = geometry.point(of: line)
        else { return }
        let length = zip(line, line.dropFirst()).reduce(0) { $0 + hypot($1.0.lon - $1.1.lon, $1.0.lat - $1.1.lat) }
        try writer.add(
            MapDatabaseWriter.NamedPlace(
                tag: ("highway", value),
                name: name,
                otherNames: others,
                middle: middle,
                length: max(length, 1e-9)
            )
        )
    }

    /// Adds a house number, and a landmark or settlement with its label.
    private func addNames(_ tags: Tags, at point: Coordinate) throws {
        if let house = MapTags.houseNumber(tags, at: point) {
            try writer.add(house)
            try writer.add(MapFeature(.houseNumber, zooms: 18...Self.lastZoom, name: house.number, .point(point)))
        }
        guard tags["highway"] == nil, let (name, others) = MapTags.names(tags),
            let (tag, zoom) = MapTags.landmark(tags)
        else { return }
        let kind = MapTags.settlement(tags)?.kind ?? .landmark
        try writer.add(MapFeature(kind, zooms: zoom...Self.lastZoom, name: name, .point(point)))
        try writer.add(
            MapDatabaseWriter.NamedPlace(tag: tag, name: name, otherNames: others, middle: point, length: 1e-9)
        )
    }
}
