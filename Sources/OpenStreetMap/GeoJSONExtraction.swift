import Domain

struct GeoJSONExtraction {
    private let meter: ProgressMeter
    private let geometry = Geometry()
    private var collection = PointCollection()
    private var areas: Set<PointOfInterest.Element> = []

    init(meter: ProgressMeter) {
        self.meter = meter
    }

    mutating func add(_ feature: GeoJSONFeature?) throws {
        try meter.count(\.features, found: collection.count)
        guard let feature else {
            collection.skipped.malformed += 1
            return
        }
        guard PointOfInterest.Category(feature.tags) != nil else { return }
        guard let shape = feature.geometry else {
            collection.skipped.withoutGeometry += 1
            return
        }
        guard shape.isInRange else {
            collection.skipped.outOfRange += 1
            return
        }
        guard let point = shape.point(geometry) else {
            collection.skipped.withoutGeometry += 1
            return
        }
        // overpass-turbo may write an area twice, the second time as its centre, which can lie outside of the area.
        if case .area = shape, let element = feature.element { areas.insert(element) }
        if case .points = shape, let element = feature.element, areas.contains(element) { return }
        collection.add(PointOfInterest(feature.tags, at: point, element: feature.element))
    }

    func finish() throws -> Extract {
        try meter.finish(found: collection.count)
        return collection.extract
    }
}
