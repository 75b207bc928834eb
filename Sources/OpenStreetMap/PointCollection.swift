import Domain

/// A collection of points of interest. If an OpenStreetMap element occurs several times, the last one is kept.
struct PointCollection {
    var skipped = Skipped()
    private var identified: [PointOfInterest.Element: PointOfInterest] = [:]
    private var anonymous: [PointOfInterest] = []

    var count: Int { identified.count + anonymous.count }

    var extract: Extract {
        let order: [PointOfInterest.ElementType] = [.node, .way, .relation]
        let points = order.flatMap { type in
            identified.filter { $0.key.type == type }.sorted { $0.key.id < $1.key.id }.map(\.value)
        }
        return Extract(points: points + anonymous, skipped: skipped)
    }

    mutating func add(_ point: PointOfInterest?) {
        guard let point else { return }
        if let element = point.element {
            identified[element] = point
        } else {
            anonymous.append(point)
        }
    }

    mutating func remove(_ element: PointOfInterest.Element) {
        guard !identified.isEmpty else { return }
        identified[element] = nil
    }
}
