import Foundation

/// A k-d tree on the unit sphere, laid out as the order of the places themselves: poles and antimeridian are nothing special.
struct NearestPlaces: Sendable {
    private let points: [SIMD3<Float>]

    init(_ file: GazetteerFile) {
        points = (0..<file.reversibleCount).map { index in
            let place = file.place(index)
            return SIMD3<Float>(Self.unit(lon: Double(place.lon) / 1e5, lat: Double(place.lat) / 1e5))
        }
    }

    /// The nearest places that are accepted, nearest first.
    func nearest(_ count: Int, lon: Double, lat: Double, where accept: (Int) -> Bool = { _ in true }) -> [Int] {
        var best = Best(limit: count)
        let target = SIMD3<Float>(Self.unit(lon: lon, lat: lat))
        search(0, points.count, axis: 0, target, accept, &best)
        return best.items.map(\.index)
    }

    private struct Best {
        let limit: Int
        var items: [(distance: Float, index: Int)] = []

        init(limit: Int) {
            self.limit = limit
            items.reserveCapacity(limit + 1)
        }

        /// What a place must beat: squared chord of the unit sphere.
        var bound: Float { items.count < limit ? .infinity : items[limit - 1].distance }

        mutating func insert(_ distance: Float, _ index: Int) {
            var place = items.count
            while place > 0, items[place - 1].distance > distance { place -= 1 }
            items.insert((distance, index), at: place)
            if items.count > limit { items.removeLast() }
        }
    }

    private func search(
        _ low: Int,
        _ high: Int,
        axis: Int,
        _ target: SIMD3<Float>,
        _ accept: (Int) -> Bool,
        _ best: inout Best
    ) {
        guard low < high else { return }
        let middle = (low + high) / 2
        let offset = target - points[middle]
        let distance = (offset * offset).sum()
        if distance < best.bound, accept(middle) { best.insert(distance, middle) }
        let next = (axis + 1) % 3
        let aside = offset[axis]
        if aside < 0 {
            search(low, middle, axis: next, target, accept, &best)
            if aside * aside < best.bound { search(middle + 1, high, axis: next, target, accept, &best) }
        } else {
            search(middle + 1, high, axis: next, target, accept, &best)
            if aside * aside < best.bound { search(low, middle, axis: next, target, accept, &best) }
        }
    }

    private static func unit(lon: Double, lat: Double) -> SIMD3<Double> {
        let (lambda, phi) = (lon * .pi / 180, lat * .pi / 180)
        return SIMD3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
    }
}

extension SIMD3<Float> {
    fileprivate init(_ other: SIMD3<Double>) {
        self.init(Float(other.x), Float(other.y), Float(other.z))
    }
}
