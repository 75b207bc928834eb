import CReadOSM
import Domain
import Foundation

/// Reads `.osm` and `.osm.pbf` by libreadosm, in two passes: ways come after their nodes, and a country's nodes are too
/// many to keep.
final class OSMReader {
    private typealias Progress = PointsOfInterestFile.Progress

    private struct Way {
        let id: Int64
        let tags: [String: String]
        let nodes: [Int64]
    }

    private let url: URL
    private let refusal: (String) -> ServiceError
    private var ways: [Way] = []
    private var wanted: [Int64: Coordinate?] = [:]
    private var pois: [PointOfInterest.Element: PointOfInterest] = [:]
    private var progress = Progress()
    private var report: (Progress) -> Void = { _ in }

    init(_ url: URL, _ refusal: @escaping (String) -> ServiceError) {
        self.url = url
        self.refusal = refusal
    }

    func contents(_ report: (PointsOfInterestFile.Progress) -> Void) throws -> PointsOfInterestFile.Contents {
        try withoutActuallyEscaping(report) { report in
            self.report = report
            defer { self.report = { _ in } }
            try parse(nodes: nil, ways: Self.takeWay, relations: Self.takeRelation)
            for way in ways { for node in way.nodes { wanted.updateValue(nil, forKey: node) } }
            try parse(nodes: Self.takeNode, ways: nil, relations: nil)
        }
        for way in ways { place(way) }
        progress.found = pois.count
        let ordered = pois.sorted { ($0.key.type.rawValue, $0.key.id) < ($1.key.type.rawValue, $1.key.id) }
        return PointsOfInterestFile.Contents(pois: ordered.map(\.value), progress: progress)
    }

    private func place(_ way: Way) {
        let line = way.nodes.compactMap { wanted[$0] ?? nil }
        let element = PointOfInterest.Element(type: .way, id: way.id)
        guard line.count == way.nodes.count, let point = Shape(line: line).pointInside,
            let poi = PointOfInterest(tags: way.tags, at: point, element: element)
        else {
            progress.skipped += 1
            return
        }
        pois[element] = poi
    }

    private func parse(
        nodes: readosm_node_callback?,
        ways: readosm_way_callback?,
        relations: readosm_relation_callback?
    ) throws {
        // The library tells the format by the file's name; a link gives any file the name it wants.
        let link = FileManager.default.temporaryDirectory.appending(
            path: "doggofinder-\(UUID().uuidString).osm" + (try isXML() ? "" : ".pbf")
        )
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: url.absoluteURL)
        defer { try? FileManager.default.removeItem(at: link) }
        var handle: UnsafeRawPointer?
        guard readosm_open(link.path, &handle) == READOSM_OK else { throw refusal("cannot be opened") }
        defer { readosm_close(handle) }
        let code = readosm_parse(handle, Unmanaged.passUnretained(self).toOpaque(), nodes, ways, relations)
        guard code == READOSM_OK else { throw refusal("the file is damaged or cut short (code \(code))") }
    }

    private func isXML() throws -> Bool {
        try FileHandle(forReadingFrom: url).read(upToCount: 200)?.contains(UInt8(ascii: "<")) ?? false
            && !url.lastPathComponent.hasSuffix(".pbf")
    }

    private func count(_ kind: WritableKeyPath<Progress, Int>) {
        progress[keyPath: kind] += 1
        guard progress[keyPath: kind].isMultiple(of: 100_000) else { return }
        progress.found = pois.count + ways.count
        report(progress)
    }

    private static let takeNode: readosm_node_callback = { user, node in
        guard let user, let node = node?.pointee else { return READOSM_ABORT }
        let reader = Unmanaged<OSMReader>.fromOpaque(user).takeUnretainedValue()
        reader.count(\.nodes)
        guard node.tag_count > 0 || reader.wanted[node.id] != nil,
            let point = Coordinate(lon: node.longitude, lat: node.latitude)
        else { return READOSM_OK }
        if reader.wanted[node.id] != nil { reader.wanted.updateValue(point, forKey: node.id) }
        guard node.tag_count > 0 else { return READOSM_OK }
        let element = PointOfInterest.Element(type: .node, id: node.id)
        let tags = OSMReader.tags(node.tags, node.tag_count)
        if let poi = PointOfInterest(tags: tags, at: point, element: element) { reader.pois[element] = poi }
        return READOSM_OK
    }

    private static let takeWay: readosm_way_callback = { user, way in
        guard let user, let way = way?.pointee else { return READOSM_ABORT }
        let reader = Unmanaged<OSMReader>.fromOpaque(user).takeUnretainedValue()
        reader.count(\.ways)
        guard way.tag_count > 0 else { return READOSM_OK }
        let tags = OSMReader.tags(way.tags, way.tag_count)
        guard PointOfInterest.Category(tags: tags) != nil else { return READOSM_OK }
        let nodes = (0..<Int(way.node_ref_count)).map { way.node_refs[$0] }
        reader.ways.append(Way(id: way.id, tags: tags, nodes: nodes))
        return READOSM_OK
    }

    private static let takeRelation: readosm_relation_callback = { user, relation in
        guard let user, let relation = relation?.pointee else { return READOSM_ABORT }
        let reader = Unmanaged<OSMReader>.fromOpaque(user).takeUnretainedValue()
        reader.count(\.relations)
        let tags = OSMReader.tags(relation.tags, relation.tag_count)
        if PointOfInterest.Category(tags: tags) != nil { reader.progress.skipped += 1 }
        return READOSM_OK
    }

    private static func tags(_ tags: UnsafePointer<readosm_tag>?, _ count: Int32) -> [String: String] {
        guard let tags else { return [:] }
        var result: [String: String] = [:]
        for index in 0..<Int(count) {
            guard let key = tags[index].key, let value = tags[index].value else { continue }
            result[String(cString: key)] = String(cString: value)
        }
        return result
    }
}
